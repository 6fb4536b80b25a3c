import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

// On one database: it is about the OpenAPI document.

const here = import.meta.dirname

test('the web app is typed from the OpenAPI document as it is: `npm run web-client` writes it', async () => {
  await using resources = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'client-'))
  resources.defer(() => rm(directory, { recursive: true }))
  const file = join(directory, 'generated.ts')
  // In a process of its own, since the generator leaves a process running.
  await promisify(execFile)(process.execPath, [join(here, 'generate-client.ts'), file])
  assert.equal(await readFile(join(here, '../../../web/src/api/generated.ts'), 'utf8'), await readFile(file, 'utf8'))
})
