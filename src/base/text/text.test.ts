import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoints, foldCase, properName } from '#/base/text/text.ts'

for (const [what, one, other] of [
  ['ASCII', 'Invoice', 'iNVOICE'],
  ['sharp s, small, capital and written out', 'Straße', 'STRASSE'],
  ['the capital sharp s', 'STRAẞE', 'strasse'],
  ['the long s', 'ſet', 'SET'],
  ['the Kelvin sign', '\u212Aelvin', 'kelvin'],
  ['the Ångström sign', '\u212B', 'å'],
  ['final and medial sigma', 'ΟΔΟΣ', 'οδος'],
  ['a sigma that is no longer final', 'οδοσ', 'ΟΔΟΣ'],
  ['Turkish dotted capital i', 'İSTANBUL', 'istanbul'],
  ['Turkish dotless i', 'DIŞ', 'dış'],
  ['Cherokee', 'Ꭰ', 'ꭰ'],
] as const)
  test(`Case does not matter: ${what}`, () => assert.equal(foldCase(one), foldCase(other)))

const folded = (text: string) => foldCase(text.normalize('NFKC')).normalize('NFKC')

test('A text folds to the same in upper case, in lower case and when folded before', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(folded(text.toUpperCase()), folded(text))
      assert.equal(folded(text.toLowerCase()), folded(text))
      assert.equal(folded(folded(text)), folded(text))
    }),
  ))

for (const [what, given] of [
  ['empty', ''],
  ['spaces', '   '],
  ['an ideographic space', '\u3000'],
  ['NUL', 'a\0b'],
  ['a line feed', 'a\nb'],
  ['DEL', 'a\x7fb'],
  ['a C1 control', 'a\x85b'],
  ['a line separator', 'a\u2028b'],
  ['a lone high surrogate', 'a\ud83d'],
  ['a lone low surrogate', '\ude00a'],
  ['U+202E, right-to-left override', 'a\u202eb'],
  ['U+2066, an isolate', 'a\u2066b'],
  ['U+200F, right-to-left mark', 'a\u200f'],
  ['U+200B alone', '\u200b'],
  ['a joiner alone', '\u200d'],
  ['a soft hyphen alone', '\u00ad'],
  ['a Hangul filler alone', '\u3164'],
  ['an empty Braille pattern', '\u2800'],
  ['a byte order mark alone', '\ufeff'],
  ['33 letters', 'a'.repeat(33)],
  ['33 emoji', '😀'.repeat(33)],
] as const)
  test(`A name is refused: ${what}`, () => assert.throws(() => properName('name', given, 32), { field: 'name' }))

for (const [what, given, name] of [
  ['32 letters', 'a'.repeat(32), 'a'.repeat(32)],
  ['32 emoji', '😀'.repeat(32), '😀'.repeat(32)],
  ['32 letters between spaces', ` ${'a'.repeat(32)}\u3000`, 'a'.repeat(32)],
  ['32 letters with their accents apart', 'e\u0301'.repeat(32), 'é'.repeat(32)],
  ['a family joined into one', '👨‍👩‍👧', '👨‍👩‍👧'],
  ['Chinese', '发票', '发票'],
  ['Hebrew', 'חשבוניות', 'חשבוניות'],
  ['one digit', '5', '5'],
] as const)
  test(`A name is taken: ${what}`, () => assert.equal(properName('name', given, 32), name))

test('Length counts code points', () => assert.equal(codePoints('a😀e\u0301'), 4))
