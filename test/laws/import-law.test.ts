import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { breaches, circles, importsOf, sourcePaths, sourceRoot } from './import-law.ts'

test('imports point one way', () => {
  const paths = sourcePaths()
  assert.ok(paths.length > 50, 'the sources are found')
  const sources = paths.map((path) => ({
    path,
    imports: importsOf(path, readFileSync(join(sourceRoot, path), 'utf8')),
  }))
  assert.deepEqual(breaches(sources), [])
})

test('no file of the web app imports itself by way of others', () => {
  const cwd = join(sourceRoot, '../web/src')
  const paths = globSync('**/*.{ts,tsx}', { cwd })
  assert.ok(paths.length > 200, 'the files are found')
  const sources = paths.map((path) => ({ path, imports: importsOf(path, readFileSync(join(cwd, path), 'utf8')) }))
  assert.deepEqual(circles(sources), [])
})

test('no source has more than 250 lines', () => {
  const cwd = join(sourceRoot, '..')
  const paths = globSync(['{src,bench}/**/*.ts', 'web/src/**/*.{ts,tsx,css}'], { cwd }).filter(
    // The client of the web app is generated, and not in the repository.
    (path) => !path.endsWith('.test.ts') && path !== 'web/src/api/generated.ts',
  )
  assert.ok(paths.length > 500, 'the sources are found')
  const linesOf = (path: string) => readFileSync(join(cwd, path), 'utf8').trimEnd().split('\n').length
  assert.deepEqual(
    paths.filter((path) => linesOf(path) > 250),
    [],
  )
})

for (const [what, path, text] of [
  ['a noun that imports the app', 'mail/labels/routes.ts', "import { buildApp } from '#/app/server/app.ts'"],
  ['an import from a district above', 'mail/store/append.ts', "import { x } from '#/rules/filters/filters.ts'"],
  ['a noun that imports another’s routes', 'rules/filters/filters.ts', "import { x } from '#/mail/labels/routes.ts'"],
  ['what is inside of a noun', 'imap/folders/x.ts', "import { x } from '#/mail/messages/content/download.ts'"],
  ['an import at run time', 'formats/mime/address.ts', "const x = await import('#/mail/labels/label.ts')"],
  ['a type imported from above', 'base/clock/clock.ts', "import type { Label } from '#/mail/labels/label.ts'"],
  ['a type among values', 'base/clock/clock.ts', "import { type Label, colour } from '#/mail/labels/label.ts'"],
  ['a type that is passed on', 'base/clock/clock.ts', "export type { Label } from '#/mail/labels/label.ts'"],
  ['an import of several lines', 'base/clock/clock.ts', "import { x,\n  y } from '#/mail/labels/label.ts'"],
  ['the type of an import', 'base/clock/clock.ts', "type Label = import('#/mail/labels/label.ts').Label"],
  ['a file in no district', 'utils/x.ts', "import '#/base/errors.ts'"],
  ['an import from no district', 'mail/labels/label.ts', "import '#/utils/x.ts'"],
] as const)
  test(`the law finds ${what}`, () => assert.equal(breaches([{ path, imports: importsOf(path, text) }]).length, 1))

test('the law finds a circle of files', () => {
  const sources = [
    { path: 'mail/labels/label.ts', imports: ['mail/labels/queries.ts'] },
    { path: 'mail/labels/queries.ts', imports: ['mail/store/read.ts'] },
    { path: 'mail/store/read.ts', imports: ['mail/labels/label.ts'] },
    { path: 'mail/labels/routes.ts', imports: ['mail/labels/label.ts'] },
  ]
  assert.equal(breaches(sources).length, 3)
})
