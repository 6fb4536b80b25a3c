import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seal, sealingKey, unseal } from './seal.ts'

const secret = 'a secret of thirty-two characters'
const key = sealingKey(secret, 'dkim')
const plain = fc.uint8Array({ minLength: 8, maxLength: 3_000 }).map((octets) => Buffer.from(octets))

test('what is sealed opens again, and shows nothing of itself', () => {
  fc.assert(
    fc.property(plain, fc.string(), (octets, place) => {
      const sealed = seal(key, place, octets)
      assert.deepEqual(unseal(key, place, sealed), octets)
      assert.equal(sealed.includes(octets), false)
    }),
  )
})

test('the same thing sealed twice looks different', () => {
  assert.notDeepEqual(seal(key, 'row', 'same'), seal(key, 'row', 'same'))
})

test('it does not open with any octet altered, or cut short', () => {
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
  ['as another kind of secret', sealingKey(secret, 'answers'), 'row'],
  ['under another secret', sealingKey(`${secret}.`, 'dkim'), 'row'],
] as const) {
  test(`it does not open ${what}`, () => {
    assert.throws(() => unseal(otherKey, place, seal(key, 'row', 'private')))
  })
}
