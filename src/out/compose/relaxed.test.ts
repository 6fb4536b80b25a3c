import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { bodyHash, relaxedField } from './relaxed.ts'

/** RFC 6376, section 3.4.4, line by line. */
function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  while (lines.at(-1) === '') lines.pop()
  return lines.map((line) => `${line}\r\n`).join('')
}

test('the hash of a body is that of its relaxed form, wherever it is cut', async () => {
  const piece = fc.constantFrom('x', ' ', '\t', '\r\n', '\r\n\r\n', ' \r\n', '\r', '.', 'word')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 0, max: 12 }), async (pieces, before) => {
      // A turn of the event loop takes 128 KiB, so the pieces lie across the end of the first, and text that is all of the third follows.
      const turn = 128 * 1024
      const text = 'y'.repeat(turn - before)
      for (const [start, end] of [['', ''] as const, [text, ''] as const, [text, 'z'.repeat(2 * turn)] as const]) {
        const body = start + pieces.join('') + end
        const expected = createHash('sha256').update(relaxedBody(body), 'latin1').digest('base64')
        assert.equal(await bodyHash(Buffer.from(body, 'latin1')), expected)
      }
    }),
  )
})

for (const [name, value, expected] of [
  ['Subject', ' Hello', 'subject:Hello\r\n'],
  ['SUBJECT', '  \tfolded\r\n \t value \t', 'subject:folded value\r\n'],
  ['X', '', 'x:\r\n'],
] as const)
  test(`a field ${JSON.stringify(value)} is ${JSON.stringify(expected)}`, () =>
    assert.equal(relaxedField(name, value), expected))
