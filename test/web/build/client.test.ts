import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { directoryOfFile } from '#test/of-file.ts'

// On one database: it is about the OpenAPI document.

const here = import.meta.dirname
const file = join(directoryOfFile(), 'generated.ts')

test('the web app is typed from the OpenAPI document as it is: `npm run web-client` writes it', async () => {
  // In a process of its own, since the generator leaves a process running.
  await promisify(execFile)(process.execPath, [join(here, 'generate-client.ts'), file])
  assert.equal(await readFile(join(here, '../../../web/src/api/generated.ts'), 'utf8'), await readFile(file, 'utf8'))
})
