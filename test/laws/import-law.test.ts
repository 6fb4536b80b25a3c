import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { breaches, importsOf, sourcePaths, sourceRoot } from './import-law.ts'

test('imports point one way', () => {
  const paths = sourcePaths()
  assert.ok(paths.length > 50, 'the sources are found')
  const sources = paths.map((path) => ({
    path,
    imports: importsOf(path, readFileSync(join(sourceRoot, path), 'utf8')),
  }))
  assert.deepEqual(breaches(sources), [])
})

test('no source has more than 250 lines', () => {
  const cwd = join(sourceRoot, '../..')
  const paths = globSync(['{src,bench}/**/*.ts', 'web/src/**/*.{ts,tsx,css}'], { cwd }).filter(
    // The client of the web app is generated.
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
  ['a noun that imports the app', 'labels/routes.ts', "import { buildApp } from '#/app/server/app.ts'"],
  ['the store of mail importing a noun', 'mail/append.ts', "import { x } from '#/mail/labels/labels.ts'"],
  ['a noun that imports another’s routes', 'labels/labels.ts', "import { filterRoutes } from '../filters/routes.ts'"],
  ['the app naming an adapter', 'app.ts', "import { SmarthostRelay } from '#/out/relay/smarthost.ts'"],
  [
    'any file of the server but one naming an adapter',
    'server/assemble.ts',
    "import { SystemClock } from '#/base/clock/system.ts'",
  ],
  ['a port that imports a noun', 'ports/clock.ts', "import { x,\n  y } from '#/mail/labels/labels.ts'"],
  ['the mail path importing the app', 'inbound/receive.ts', "export { x } from '#/app/server/app.ts'"],
  ['an import at run time', 'mime/address/address.ts', "const x = await import('#/mail/labels/labels.ts')"],
  ['a type imported from above', 'ports/clock.ts', "import type { Label } from '#/mail/labels/labels.ts'"],
  ['a type among values', 'ports/clock.ts', "import { type Label, colour } from '#/mail/labels/labels.ts'"],
  ['a type that is passed on', 'ports/clock.ts', "export type { Label } from '#/mail/labels/labels.ts'"],
  ['the type of an import', 'ports/clock.ts', "type Label = import('#/mail/labels/labels.ts').Label"],
  ['a file in no known folder', 'utils/x.ts', "import '#/base/errors.ts'"],
] as const)
  test(`the law finds ${what}`, () => assert.equal(breaches([{ path, imports: importsOf(path, text) }]).length, 1))

test('the law finds a circle of nouns', () => {
  const sources = [
    { path: 'labels/labels.ts', imports: ['filters/filters.ts'] },
    { path: 'filters/filters.ts', imports: ['labels/queries.ts'] },
  ]
  assert.equal(breaches(sources).length, 2)
})
