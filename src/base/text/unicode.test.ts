import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourcePaths, sourceRoot } from '#test/laws/import-law.ts'
import { normalized } from './unicode.ts'

const forms = ['NFC', 'NFKC', 'NFKD'] as const
/** Which normalization puts in the other order. */
const [above, below] = ['\u0301', '\u0316']

for (const [what, text] of [
  ['words', 'Ånd é ﬁne ½'],
  ['a letter with 256 marks', `e${`${above}${below}`.repeat(128)}x`],
  ['halfwidth voicing marks', 'ｶﾞﾊﾟ'],
  ['syllables of Korean taken apart', '한국어'.normalize('NFD').repeat(200)],
  ['a long text', `${`e${above}${below}`.repeat(1_000)} ${'ｶﾞ'.repeat(1_000)}`],
] as const)
  for (const form of forms)
    test(`${what}: ${form} is Unicode's`, () => assert.equal(normalized(text, form), text.normalize(form)))

test('of a longer run of marks the parts are put in order', () => {
  const part = (marks: number) => `${below.repeat(marks)}${above.repeat(marks)}`
  const text = `x${`${above}${below}`.repeat(300)} y`
  assert.equal(normalized(text, 'NFKD'), `x${part(128)}${part(128)}${part(44)} y`)
})

test('nothing normalizes a text in another way, which takes quadratic time', () => {
  const others = sourcePaths().filter((path) => readFileSync(join(sourceRoot, path), 'utf8').includes('.normalize('))
  assert.deepEqual(others, ['base/text/unicode.ts'])
})
