import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Batches } from '#/base/db/embedded/batches.ts'

function message(type: string, body: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, body])
}
const startup = message('', Buffer.from([0, 3, 0, 0, ...Buffer.from('user\0postgres\0\0')]))

const type = fc.constantFrom('Q', 'P', 'B', 'D', 'E', 'S', 'H', 'C')
const someMessages = fc.array(fc.record({ type, body: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 20 })
const someSizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })

test('what a client writes leaves in batches that end with Query, Sync or Flush, however it was split', () =>
  fc.assert(
    fc.property(someMessages, someSizes, (messages, sizes) => {
      const expected: Buffer[] = []
      let batch: Buffer[] = []
      for (const { type, body } of messages) {
        batch.push(message(type, body))
        if (!'QSH'.includes(type)) continue
        expected.push(Buffer.concat(batch))
        batch = []
      }
      const written = messages.map(({ type, body }) => message(type, body))
      const batches = new Batches()
      const bytes = Buffer.concat([startup, ...written, message('X', Buffer.of())])
      const out = pieces(bytes, sizes).flatMap((piece) => batches.add(piece))
      const read = out.map((event) => (event.kind === 'batch' ? Buffer.from(event.bytes) : event.kind))
      assert.deepEqual(read, ['startup', ...expected, 'terminate'])
    }),
  ))

test('a message of 25 MiB that comes in small pieces is copied once', (t) => {
  const large = message('B', new Uint8Array(25 * 1024 * 1024))
  const batches = new Batches()
  batches.add(startup)
  const set = t.mock.method(Uint8Array.prototype, 'set')
  const concat = t.mock.method(Buffer, 'concat')
  for (const piece of pieces(large, [1000])) assert.deepEqual(batches.add(piece), [])
  const [batch] = batches.add(message('S', Buffer.of()))
  const parts = [
    ...set.mock.calls.map((call) => call.arguments[0]),
    ...concat.mock.calls.flatMap((call) => call.arguments[0]),
  ]
  assert.equal(batch?.kind === 'batch' && batch.bytes.length, large.length + 5)
  assert.ok(parts.reduce((sum, { length }) => sum + length, 0) < large.length + 100)
})

function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const cut: Uint8Array[] = []
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    cut.push(bytes.subarray(at, at + size))
    at += size
  }
  return cut
}
