import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSearchable } from '#/formats/mime/body/searchable.ts'
import { parseQuery } from './query.ts'
import { Snippets } from './snippet.ts'

function matched(q: string, text: string) {
  const header = 'Subject: Letter\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n'
  const match = new Snippets(parseQuery(q).tree).matchIn(readSearchable(Buffer.from(header + text)))
  assert.equal(match?.field, 'text')
  return match.text
}

for (const [what, q, text] of [
  ['a word with thousands of accents', 'a', `a${'\u0301'.repeat(20_000)}`],
  ['a word without end', 'x'.repeat(64), 'x'.repeat(60_000)],
  ['words far apart', '"foo bar"', `foo${' -'.repeat(20_000)} bar`],
] as const)
  test(`the place of ${what} is shown in part`, () => {
    const shown = matched(q, text)
    assert.ok(shown.startsWith(text.slice(0, 20)) && shown.length < 300, `${shown.length}`)
  })

test('no character is shown in half', () => {
  const faces = '🙂'.repeat(40)
  for (const sign of ['', '-']) {
    const shown = matched('foo', `${faces}${sign}foo${sign}${faces}`)
    assert.match(shown, /^…🙂+-?foo-?🙂+…$/u)
  }
})

test('the first term of the query that the message has is shown, whatever its other terms are', () => {
  const text = 'One two three four'
  assert.equal(matched('"two one" OR three OR one', text), text)
  assert.equal(matched('-five four', text), text)
})
