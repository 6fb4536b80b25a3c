import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bannedIn, titlesIn, usesIn } from './words.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
const banned = bannedIn(read('docs/glossary.md'))

function usesOf(paths: readonly string[], text: (path: string) => string): string[] {
  return paths.flatMap((path) => usesIn(text(path), banned).map((word) => `${path}: ${word}`))
}

test('the glossary has words not to use', () => assert.ok(banned.length > 10, banned.join(', ')))

test('no source uses them', () => {
  const sources = files('{src,bench}/**/*.ts', 'web/src/**/*.{ts,tsx}').filter((path) => !path.endsWith('.test.ts'))
  assert.deepEqual(usesOf(sources, read), [])
})

test('no page uses them', () => {
  const pages = files('*.md', 'docs/**/*.md').filter((path) => path !== 'docs/glossary.md')
  assert.deepEqual(usesOf(pages, read), [])
})

test('no title of a test uses them', () => {
  const titles = usesOf(files('{src,test}/**/*.ts'), (path) => titlesIn(read(path)))
  assert.deepEqual(titles, [])
})

test('a row of the table may have several words', () => {
  const glossary =
    '## Words not to use\n\n| Not | Say |\n| --- | --- |\n| in vain, the dot | x |\n\n## Next\n| a | b |\n'
  assert.deepEqual(bannedIn(glossary), ['in vain', 'the dot'])
})

for (const [what, text, found] of [
  ['in any case', 'Overtaken by another', ['overtaken']],
  ['over a line of a comment', ' * What it was put\n * off for.', ['put off']],
  ['not within another word', 'troubleshooting', []],
  ['not as a name in code', "The label `trouble`, or 'trouble'", []],
] as const)
  test(`a word is found ${what}`, () => assert.deepEqual(usesIn(text, ['overtaken', 'put off', 'trouble']), found))

test('a title is found in any quotes, also on a line of its own', () =>
  assert.equal(titlesIn("test('one', x)\ntestIt(\n  `it's two`, x)"), "one\nit's two"))
