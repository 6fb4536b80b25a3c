import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { wordsOf } from './words.ts'

for (const [text, words] of [
  ['The Mill, the mill!', ['the', 'mill', 'the', 'mill']],
  ['Straße Łódź Ærø naïve ΣΊΣΥΦΟΣ', ['strasse', 'lodz', 'aero', 'naive', 'σισυφοσ']],
  ['ann@books.example', ['ann', 'books', 'example']],
  ['ﬁne Ｗｉｄｅ ①', ['fine', 'wide', '1']],
  ['¾ 1½ ⅒ 3/4 3⁄4', ['¾', '1½', '⅒', '3', '4', '3', '4']],
  ['Mill™ №7', ['mill', '7']],
  ['東京都', ['東京', '京都', '都']],
  ['abc中文12', ['abc', '中文', '文', '12']],
  ['ｶﾞｷﾞ', ['ガギ', 'ギ']],
  ['กิน', ['กิน', 'น']],
  ['한국어 텍스트', ['한국어', '텍스트']],
  ['x'.repeat(100), ['x'.repeat(64)]],
  ['-- !? \u0301', []],
] as const)
  test(`the words of ${text.slice(0, 30)}`, () => assert.deepEqual(each([...wordsOf(text)], 'text'), words))

test('a word says where it is written', () => {
  const text = '… Été à 東京'
  const places = [...wordsOf(text)].map(({ start, end }) => text.slice(start, end))
  assert.deepEqual(places, ['Été', 'à', '東京', '京'])
})
