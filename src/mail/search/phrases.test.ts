import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PhraseSearch } from './phrases.ts'

const nothing = { subject: [], from: [], to: [], cc: [], filename: [], text: [] }

/** Where each phrase is found. */
function found(phrases: readonly string[], searchable: Partial<Parameters<PhraseSearch['in']>[0]>) {
  const terms = phrases.map((text) => ({ kind: 'text', field: 'any', text }) as const)
  const places = new PhraseSearch(terms).in({ ...nothing, ...searchable }, () => false)
  return terms.map((term) => {
    const place = places.get(term)
    return place && `${place.field}: ${place.text.slice(place.start, place.end)}`
  })
}

for (const [phrase, text, isFound] of [
  ['the mill', 'I see THE mill', true],
  ['the mill', 'the the mill', true],
  ['the mill the', 'the mill the mill', true],
  ['the mill', 'the old mill', false],
  ['mil', 'the mill', false],
  ['foo-bar', 'Foo Bar', true],
  ['京都', '東京都へ', true],
  ['都', '東京都', true],
  ['京', '東京都', true],
  ['東都', '東京都', false],
  ['行く abc', '東京へ行く、abc', true],
  ['行 abc', '東京へ行く、abc', false],
  [`${'a '.repeat(100)}b`, `${'a '.repeat(200)}b`, true],
  [`${'a '.repeat(100)}b`, `${'a '.repeat(99)}b`, false],
  [`b ${'a '.repeat(100)}`, `b ${'a '.repeat(99)}b ${'a '.repeat(100)}`, true],
  ['a', 'b '.repeat(16_000), false],
  ['a', `${'b '.repeat(15_999)}a`, true],
  ['a', `${'b '.repeat(16_000)}a`, false],
] as const)
  test(`${phrase.slice(0, 20)} is ${isFound ? '' : 'not '}found in ${text.slice(0, 20)}`, () =>
    assert.equal(found([phrase], { text: [text] })[0] !== undefined, isFound))

test('many phrases are found in one pass, each at its first place, and in the text before other fields', () => {
  const subject = 'A large order'
  const text = `One two. ${'x '.repeat(40)} two three; large, two three`
  assert.deepEqual(
    found(['two three', 'one', 'x '.repeat(33), 'order', 'large', 'x three', 'x two three'], {
      subject: [subject],
      text: [text],
    }),
    [
      'text: two three',
      'text: One',
      `text: ${'x '.repeat(33).trim()}`,
      'subject: order',
      'text: large',
      undefined,
      'text: x  two three',
    ],
  )
})

test('words of two texts of a field do not follow each other', () =>
  assert.deepEqual(found(['ann lee', 'lee ann'], { from: ['Lee', 'Ann Lee'] }), ['from: Ann Lee', undefined]))
