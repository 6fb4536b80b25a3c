import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { breaches, importsOf } from './import-law.ts'

const root = join(import.meta.dirname, '../src')

test('imports point one way', () => {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
  assert.ok(paths.length > 50, 'the sources are found')
  const sources = paths.map((path) => ({ path, imports: importsOf(path, readFileSync(join(root, path), 'utf8')) }))
  assert.deepEqual(breaches(sources), [])
})

for (const [what, path, text] of [
  ['a noun that imports the app', 'labels/routes.ts', "import { buildApp } from '#/app.ts'"],
  [
    'a noun that imports another noun’s routes',
    'labels/labels.ts',
    "import { filterRoutes } from '../filters/routes.ts'",
  ],
  ['the app naming an adapter', 'app.ts', "import { SqlMailHost } from '#/adapters/mail-host/sql/index.ts'"],
  [
    'any file of the server but one naming an adapter',
    'server/compose.ts',
    "import { SystemClock } from '#/adapters/clock/system.ts'",
  ],
  ['a port that imports a noun', 'ports/clock.ts', "import { x,\n  y } from '#/labels/labels.ts'"],
  ['the mail path importing the app', 'inbound/receive.ts', "export { x } from '#/app.ts'"],
  ['an import at run time', 'mime/address.ts', "const x = await import('#/labels/labels.ts')"],
  ['a file in no known folder', 'utils/x.ts', "import '#/errors.ts'"],
] as const) {
  test(`the law finds ${what}`, () => {
    assert.equal(breaches([{ path, imports: importsOf(path, text) }]).length, 1)
  })
}

test('the law finds a circle of nouns', () => {
  const sources = [
    { path: 'labels/labels.ts', imports: ['filters/filters.ts'] },
    { path: 'filters/filters.ts', imports: ['labels/queries.ts'] },
  ]
  assert.equal(breaches(sources).length, 2)
})

test('import type is free', () => {
  assert.deepEqual(importsOf('ports/clock.ts', "import type { Label } from '#/labels/labels.ts'"), [])
})
