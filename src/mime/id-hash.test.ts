import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/any-character.ts'
import { idHash, idHashes, idHashKey, writeIdHash } from './id-hash.ts'

/** The key of SipHash's published vectors: the bytes 0 to 15. The message of n bytes is 0 to n - 1. */
const published = Uint32Array.of(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c)

for (const [length, expected] of [
  [0, '310e0edd47db6f72'],
  [1, 'fd67dc93c539f874'],
  [2, '5a4fa9d909806c0d'],
  [7, '37d1018bf50002ab'],
  [8, '6224939a79f5f593'],
  [15, 'e545be4961ca29a1'],
] as const)
  test(`${length} bytes hash as published with SipHash-2-4`, () => {
    const text = String.fromCharCode(...Array(length).keys())
    assert.equal(idHash(published, text).toString('hex'), expected)
  })

test('every text hashes as by a plain 64-bit reading of the paper', () => {
  const words = fc.uint32Array({ minLength: 4, maxLength: 4 })
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.string({ minLength: 300, maxLength: 600 }),
  )
  fc.assert(
    fc.property(words, texts, (key, text) => {
      assert.equal(idHash(key, text).readBigUInt64LE(), sipHash(key, Buffer.from(text)))
    }),
  )
})

test('an id hashes the same wherever it stands in bytes', () => {
  const ascii = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) })
  fc.assert(
    fc.property(ascii, ascii, ascii, (before, id, after) => {
      const [bytes, hash] = [Buffer.from(before + id + after), new Int32Array(4)]
      writeIdHash(published, bytes, before.length, before.length + id.length, hash, 2)
      assert.equal(Buffer.from(hash.buffer).readBigUInt64LE(8), sipHash(published, Buffer.from(id)))
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

function sipHash(key: Uint32Array, message: Buffer): bigint {
  const [a = 0, b = 0, c = 0, d = 0] = key
  const k0 = (BigInt(b) << 32n) | BigInt(a)
  const k1 = (BigInt(d) << 32n) | BigInt(c)
  const left = (x: bigint, by: bigint) => BigInt.asUintN(64, (x << by) | (BigInt.asUintN(64, x) >> (64n - by)))
  let [v0, v1] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn]
  let [v2, v3] = [k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n]
  const rounds = (count: number) => {
    for (let n = 0; n < count; n++) {
      v0 = BigInt.asUintN(64, v0 + v1)
      v2 = BigInt.asUintN(64, v2 + v3)
      v1 = left(v1, 13n) ^ v0
      v3 = left(v3, 16n) ^ v2
      v0 = left(v0, 32n)
      v2 = BigInt.asUintN(64, v2 + v1)
      v0 = BigInt.asUintN(64, v0 + v3)
      v1 = left(v1, 17n) ^ v2
      v3 = left(v3, 21n) ^ v0
      v2 = left(v2, 32n)
    }
  }
  const padded = Buffer.alloc((message.length & ~7) + 8)
  message.copy(padded)
  padded[padded.length - 1] = message.length & 0xff
  for (let at = 0; at < padded.length; at += 8) {
    const word = padded.readBigUInt64LE(at)
    v3 ^= word
    rounds(2)
    v0 ^= word
  }
  v2 ^= 0xffn
  rounds(4)
  return v0 ^ v1 ^ v2 ^ v3
}
