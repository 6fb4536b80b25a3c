import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collected, inTurns, joined, pieceBytes, slices } from './pieces.ts'

const sizes = [0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes + 7]
const bytesOf = (size: number) => Buffer.alloc(size, 'no two pieces of this are the same')

for (const size of sizes)
  test(`${size} bytes are the same in slices, in turns, joined and collected`, async () => {
    const bytes = bytesOf(size)
    const pieces = [...slices(bytes)]
    assert.ok(pieces.every(({ length }) => length > 0 && length <= pieceBytes))
    assert.ok(Buffer.concat(pieces).equals(bytes))
    assert.ok(Buffer.concat(await Array.fromAsync(inTurns(bytes, 300_000))).equals(bytes))
    assert.ok((await joined([...slices(bytes, 70_000)])).equals(bytes))
    assert.ok((await collected(inTurns(bytes), size)).equals(bytes))
  })

test('what is larger than a piece lies in memory that threads share', async () => {
  for (const bytes of [
    await joined([bytesOf(pieceBytes + 1)]),
    await collected(inTurns(bytesOf(3 * pieceBytes)), 3 * pieceBytes),
  ])
    assert.ok(bytes.buffer instanceof SharedArrayBuffer)
})

test('other work runs while much is joined', async () => {
  let turns = 0
  let isJoined = false
  const others = () => {
    turns++
    if (!isJoined) setImmediate(others)
  }
  others()
  await joined([bytesOf(20 * pieceBytes)])
  isJoined = true
  assert.ok(turns > 2, `${turns} turns`)
})
