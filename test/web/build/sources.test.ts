import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describedRoutes } from '#/app/server/description.ts'
import { foundBuild, stampOf } from '#/app/web/build.ts'
import { World } from '#test/world/world.ts'

// On one database: it is about the OpenAPI document and the sources.

const world = await World.ofFile()
const web = join(import.meta.dirname, '../../../web/src')

test('the client of the web app is generated from the document that a service serves', async () => {
  const { servers: _, ...served } = JSON.parse(await world.client.document())
  assert.deepEqual(JSON.parse(JSON.stringify(await describedRoutes())), served)
})

test('a build knows which files of the service it has read: those that the web app names, and what they import', async () => {
  const { ofService } = (await stampOf((await foundBuild()) ?? '')) ?? assert.fail('there is no build')
  const texts = globSync('**/*.{ts,tsx}', { cwd: web }).map((file) => readFileSync(join(web, file), 'utf8'))
  const imports = texts.flatMap((text) => [
    ...text.matchAll(/^import (?!type\b)[^;']*?from '(?:\.\.\/)+(src\/[^']+)'/gm),
  ])
  const named = new Set(imports.map(([, file = '']) => file))
  assert.ok(named.size > 3)
  assert.deepEqual(
    [...named].filter((file) => !ofService.includes(file)),
    [],
  )
  // It is imported by rules of the service alone.
  assert.ok(ofService.includes('src/base/text/unicode.ts') && !named.has('src/base/text/unicode.ts'))
})
