import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOpened } from './opened.ts'

const html = '<p>Good.</p><pre>\n  x = 1</pre><blockquote type="cite">Is it?</blockquote>'
const asText = 'Good.\n\n  x = 1\n\n> Is it?'
const alternative = (text: string) =>
  `Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n${text}\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n--b--`

for (const [what, raw, text, newText] of [
  ['text', '\r\nGood.\r\n> Is it?', 'Good.\n> Is it?', 'Good.'],
  ['HTML alone', `Content-Type: text/html\r\n\r\n${html}`, asText, 'Good.\n\n  x = 1'],
  ['HTML and an empty text', alternative(' \r\n'), asText, 'Good.\n\n  x = 1'],
  ['HTML and a text', alternative('Well.'), 'Well.', 'Well.'],
  ['neither', 'Content-Type: image/png\r\n\r\nx', null, null],
  ['a quotation alone', '\r\n> Is it?', '> Is it?', ''],
] as const)
  test(`a message of ${what} has a text, and what is new of it`, () => {
    const opened = readOpened(Buffer.from(raw))
    assert.deepEqual([opened.text, opened.newText], [text, newText])
  })

test('of a long HTML the beginning is read as text, and of a long text that for what is new', () => {
  const long = `<p>${'word '.repeat(200_000)}</p>end`
  const opened = readOpened(Buffer.from(`Content-Type: text/html\r\n\r\n${long}`))
  assert.equal(opened.html, long)
  assert.ok((opened.text?.length ?? 0) < 525_000 && (opened.text?.length ?? 0) > 520_000)
  const plain = readOpened(Buffer.from(`\r\n${'word '.repeat(200_000)}`))
  assert.deepEqual([plain.text?.length, (plain.newText?.length ?? 0) <= 524_288], [1_000_000, true])
})
