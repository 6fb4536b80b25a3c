import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { copySparsely } from './sparse-memory.ts'

const { slice, set } = Uint8Array.prototype
after(() => Object.assign(Uint8Array.prototype, { slice, set }))

const size = 16 * 2 ** 20 + 100
/** A large array with a few octets in it. */
const octet = fc.tuple(fc.integer({ min: 0, max: size - 1 }), fc.integer({ min: 1, max: 255 }))
const array = fc.array(octet, { maxLength: 5 }).map((octets) => {
  const made = new Uint8Array(size)
  for (const [at, value] of octets) made[at] = value
  return made
})

test('a sparse copy is equal to a plain one, and its own', () => {
  copySparsely()
  fc.assert(
    fc.property(array, array, fc.integer({ min: 0, max: 70_000 }), (one, other, offset) => {
      const copy = one.slice()
      assert.ok(Buffer.from(copy.buffer).equals(one))
      const larger = new Uint8Array(size + 70_000).fill(7, 0, 100)
      larger.set(other, offset)
      const plain = new Uint8Array(size + 70_000).fill(7, 0, 100)
      set.call(plain, other, offset)
      assert.ok(Buffer.from(larger.buffer).equals(plain))
      copy[0] = 1 + (one[0] ?? 0)
      assert.notEqual(copy[0], one[0])
    }),
    { numRuns: 10 },
  )
  assert.throws(() => new Uint8Array(size).set(new Uint8Array(size), 1), RangeError)
  assert.deepEqual(new Uint8Array([1, 2, 3]).slice(1), new Uint8Array([2, 3]))
})
