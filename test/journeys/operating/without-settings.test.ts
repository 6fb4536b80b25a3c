// On one database: the embedded one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { directoryOfFile } from '#test/of-file.ts'
import { databaseHome } from '#test/world/database/database.ts'

const main = join(import.meta.dirname, '../../../bin/mailroom.js')
const scratch = realpathSync(directoryOfFile())

/** Runs a command in a shell that has none of the service's settings. */
async function bare(...argv: readonly string[]) {
  const env = { PATH: process.env.PATH, MAILROOM_ROLES: 'worker' }
  const child = spawn(process.execPath, [main, ...argv], { cwd: scratch, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { stdout, stderr, code }
}

test('a command without the settings of a service says what is missing, and makes no database', async () => {
  const missing =
    'mailroom: The configuration is missing: neither DATABASE_URL nor MAILROOM_DATA_DIR is set, and there is no database in ' +
    `${scratch}/data. Set them as for the service (docs/configuration.md), or start the service, which creates a database there\n`
  for (const argv of [['org', 'create', 'Acme'], ['migrate'], ['secret', 'rotate']])
    assert.deepEqual(await bare(...argv), { stdout: '', stderr: missing, code: 1 }, argv.join(' '))
  assert.match((await bare('doctor')).stdout, /warning {2}database +neither DATABASE_URL nor MAILROOM_DATA_DIR is set/)
  assert.deepEqual(readdirSync(scratch), [])
})

test('it works on the database of a try-out that is there', async () => {
  await using home = await databaseHome({ embedded: true })
  symlinkSync(home.env.MAILROOM_DATA_DIR ?? '', join(scratch, 'data'))
  const made = await bare('org', 'create', 'Acme')
  assert.deepEqual([made.code, made.stderr], [0, ''])
})
