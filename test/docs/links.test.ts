import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { anchorsIn, citedIn, linksIn, pathsIn } from './links.ts'

const root = join(import.meta.dirname, '../..')
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const anchors = new Map(files.filter((path) => path.endsWith('.md')).map((path) => [path, anchorsIn(read(path))]))

/** Whether the target of a path, with or without an anchor, exists. */
function leads(path: string): boolean {
  const [file = '', anchor] = path.split('#')
  if (!existsSync(join(root, file))) return false
  return anchor === undefined || (anchors.get(file)?.has(anchor) ?? false)
}

test('every relative link of a page leads to a file and an anchor', () => {
  const dead = [...anchors.keys()].flatMap((page) =>
    linksIn(read(page))
      .map((link) => (link.startsWith('#') ? page + link : posix.join(posix.dirname(page), link)))
      .filter((path) => !leads(path))
      .map((path) => `${page}: ${path}`),
  )
  assert.deepEqual(dead, [])
})

// An applied migration is never edited, so it may cite a page that has moved.
const citing = files.filter((path) => /\.(ts|md|cf|ya?ml|env|service|conf|sh)$|\/(run|Dockerfile)$/.test(path))

test('every page that a source, a test or a sample cites is there', () => {
  const dead = citing.flatMap((path) =>
    citedIn(read(path))
      .filter((page) => !leads(page))
      .map((page) => `${path}: ${page}`),
  )
  assert.deepEqual(dead, [])
})

test('every file that a page names is there', () => {
  const dead = [...anchors.keys()].flatMap((page) =>
    pathsIn(read(page))
      // The operator makes deploy/.env.
      .filter((path) => path !== 'deploy/.env' && !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  )
  assert.deepEqual(dead, [])
})

for (const [what, text, found] of [
  ['a link', 'See [keys](keys.md#scopes).', ['keys.md#scopes']],
  ['no link to another host', '[RFC](https://www.rfc-editor.org)', []],
  ['no link in a block of code', '```sh\n[a](b.md)\n```\n', []],
] as const)
  test(`of a page it finds ${what}`, () => assert.deepEqual(linksIn(text), found))

test('an anchor is the heading in lower case, without punctuation, with hyphens for spaces', () =>
  assert.deepEqual([...anchorsIn('# The `api` role\n## Who, and what?\n')], ['the-api-role', 'who-and-what']))

test('a comment cites a page by its path', () =>
  assert.deepEqual(citedIn('// Why: docs/reference/keys.md#what-may-a-key-do, and docs/adr/README.md.'), [
    'docs/reference/keys.md#what-may-a-key-do',
    'docs/adr/README.md',
  ]))

test('a page names a file in code, and a pattern is none', () =>
  assert.deepEqual(pathsIn('See `src/app/main.ts`, `deploy/systemd/` and `src/*.test.ts`.'), [
    'src/app/main.ts',
    'deploy/systemd/',
  ]))
