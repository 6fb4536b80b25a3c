import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { World } from '#test/world/world.ts'
import { stamped } from './client-stamp.ts'

// On one database: it is about the OpenAPI document.

const world = await World.ofFile()

test('the web app is typed from the OpenAPI document as it is: `npm run web-client` writes it', async () => {
  const client = await readFile(join(import.meta.dirname, '../../../web/src/api/generated.ts'), 'utf8')
  const body = client.replace(/^.*\n/, '')
  assert.equal(client.split('\n')[0], stamped(body, await world.client.document()).split('\n')[0])
})
