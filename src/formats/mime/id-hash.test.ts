import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idHash, idHashes, idHashKey, writeIdHash } from './id-hash.ts'

/** The key of SipHash's published vectors: the bytes 0 to 15. The message of n bytes is 0 to n - 1. */
const published = Uint32Array.of(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c)

for (const [length, expected] of [
  [0, '310e0edd47db6f72'],
  [7, '37d1018bf50002ab'],
  [8, '6224939a79f5f593'],
  [15, 'e545be4961ca29a1'],
  [63, '724506eb4c328a95'],
] as const)
  test(`${length} bytes hash as published with SipHash-2-4`, () => {
    const text = String.fromCharCode(...Array(length).keys())
    assert.equal(idHash(published, text).toString('hex'), expected)
  })

test('an id hashes the same wherever it stands in bytes', () => {
  const text = fc.string({ unit: fc.constantFrom(...'<a@b>é漢👋') })
  fc.assert(
    fc.property(text, text, text, (before, id, after) => {
      const [bytes, hash, start] = [Buffer.from(before + id + after), new Int32Array(4), Buffer.byteLength(before)]
      writeIdHash(published, bytes, start, start + Buffer.byteLength(id), hash, 2)
      assert.deepEqual(Buffer.from(hash.buffer).subarray(8), idHash(published, id))
    }),
  )
})

const sameIds = { '<"a b*"@c>': '<a b*@c>', '<"a\\"b\\\\"@c>': '<a"b\\@c>', '<""@c>': '<@c>' }
for (const [id, same] of Object.entries(sameIds))
  test(`${id} hashes as ${same} does`, () => assert.deepEqual(idHash(published, id), idHash(published, same)))

test('quotes that are not around the whole left side of an id are part of it', () => {
  for (const [id, other] of Object.entries({ '<"a"b@c>': '<ab@c>', '<"a@c>': '<a@c>', '<a@"c">': '<a@c>' }))
    assert.notDeepEqual(idHash(published, id), idHash(published, other))
})

test('several ids hash to their hashes one after another', () => {
  const key = idHashKey('a secret')
  assert.deepEqual(idHashes(key, ['a@b', 'c@d']), Buffer.concat([idHash(key, 'a@b'), idHash(key, 'c@d')]))
  assert.equal(idHashes(key, []).length, 0)
})

test('another secret gives other hashes, the same secret the same', () => {
  assert.deepEqual(idHash(idHashKey('one'), 'a@b'), idHash(idHashKey('one'), 'a@b'))
  assert.notDeepEqual(idHash(idHashKey('one'), 'a@b'), idHash(idHashKey('two'), 'a@b'))
})
