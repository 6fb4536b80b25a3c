import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fingerprintOf, Keyring, type Secret } from './keyring.ts'
import { markOf, seal, sealingKey, unseal } from './seal.ts'

const secret = 'a secret of thirty-two characters'
const key = sealingKey(new Keyring(secret), 'dkim')
const plain = fc.uint8Array({ minLength: 8, maxLength: 3_000 }).map((octets) => Buffer.from(octets))

test('a sealed value opens again, and does not contain the plain value', () =>
  fc.assert(
    fc.property(plain, fc.string(), (octets, place) => {
      const sealed = seal(key, place, octets)
      assert.deepEqual(unseal(key, place, sealed), octets)
      assert.equal(sealed.includes(octets), false)
    }),
  ))

test('the same value sealed twice is different', () =>
  assert.notDeepEqual(seal(key, 'row', 'same'), seal(key, 'row', 'same')))

test('it does not open if an octet is altered or missing', () => {
  const sealed = seal(key, 'row', 'private')
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed)
    altered[at] = (altered[at] ?? 0) ^ 1
    assert.throws(() => unseal(key, 'row', altered))
    assert.throws(() => unseal(key, 'row', sealed.subarray(0, at)))
  }
})

for (const [what, otherKey, place] of [
  ['for another row', key, 'other row'],
  ['as another kind of secret', sealingKey(new Keyring(secret), 'kept answers'), 'row'],
  ['under another secret', sealingKey(new Keyring(`${secret}.`), 'dkim'), 'row'],
] as const)
  test(`it does not open ${what}`, () => assert.throws(() => unseal(otherKey, place, seal(key, 'row', 'private'))))

test('a sealed value names its secret, and opens wherever that is known', () => {
  const keyring = new Keyring(secret)
  const before = seal(sealingKey(keyring, 'dkim'), 'row', 'private')
  keyring.learn([`${secret}!`])
  const bears = (sealed: Buffer, at: number) => sealed.subarray(0, 9).equals(markOf(keyring.known[at] as Secret))
  assert.ok(bears(before, 0))
  assert.ok(bears(seal(sealingKey(keyring, 'dkim'), 'row', 'private'), 0), 'one that is known only seals nothing')
  keyring.use(fingerprintOf(`${secret}!`))
  const after = seal(sealingKey(keyring, 'dkim'), 'row', 'private')
  assert.ok(bears(after, 0) && bears(before, 1))
  for (const sealed of [before, after])
    assert.equal(unseal(sealingKey(keyring, 'dkim'), 'row', sealed).toString(), 'private')
  assert.throws(() => unseal(key, 'row', after), /a secret that this process does not know/)
})
