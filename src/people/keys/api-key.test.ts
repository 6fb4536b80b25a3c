import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generateKey, hashKey, isWellFormedKey } from './api-key.ts'

test('a key is mrk_ and 38 base62 characters, never the same twice', () => {
  const keys = Array.from({ length: 500 }, generateKey)
  for (const key of keys) assert.match(key, /^mrk_[0-9A-Za-z]{38}$/)
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(keys.every(isWellFormedKey))
})

test('the checksum is CRC-32 in base62, so that others can check it', () =>
  assert.ok(isWellFormedKey(`mrk_${'0'.repeat(32)}4g105f`)))

test('one mistyped character makes a key malformed', () => {
  const key = generateKey()
  fc.assert(
    fc.property(fc.integer({ min: 0, max: key.length - 1 }), fc.constantFrom(...'0aZ9-_ é'), (at, other) => {
      fc.pre(key[at] !== other)
      assert.equal(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1)), false)
    }),
  )
})

for (const text of ['', 'mrk_', 'mrk_abc', ` ${generateKey()}`, `${generateKey()}\n`, generateKey().slice(4), 'sk_x'])
  test(`${JSON.stringify(text.slice(0, 8))}… is not a key`, () => assert.equal(isWellFormedKey(text), false))

test('what is stored is the SHA-256', () =>
  assert.equal(hashKey('abc').toString('hex'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'))
