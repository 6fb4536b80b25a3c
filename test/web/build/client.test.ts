import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { directoryOfFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'
import { stamped } from './client-stamp.ts'

// On one database: it is about the OpenAPI document.

const here = import.meta.dirname
const world = await World.ofFile()
const file = join(directoryOfFile(), 'generated.ts')

const withoutStamp = async (path: string) => (await readFile(path, 'utf8')).replace(/^.*\n/, '')

test('the web app is typed from the OpenAPI document as it is: `npm run web-client` writes it', async () => {
  const path = join(here, '../../../web/src/api/generated.ts')
  const client = await withoutStamp(path)
  if (stamped(client, await world.client.document()) === (await readFile(path, 'utf8'))) return
  // Two changes of the document may have come together, each with its stamp. In a process of its own, since the generator leaves one running.
  await promisify(execFile)(process.execPath, [join(here, 'generate-client.ts'), file])
  assert.equal(client, await withoutStamp(file))
})
