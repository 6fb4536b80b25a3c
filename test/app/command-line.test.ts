// On one database: what a command says where it comes to none, or to the embedded one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { databaseHome } from '#test/world/database/database.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { mailroom } from '#test/world/service.ts'

const scratch = realpathSync(directoryOfFile())

for (const [what, env, argv, expected] of [
  ['--version', {}, ['--version'], { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ }],
  ['help', {}, ['help'], { code: 0, stdout: /^Usage: mailroom COMMAND/ }],
  ['unknown roles', {}, ['serve', '--roles', 'smtp'], { code: 2, stderr: /^mailroom: --roles takes one or more/ }],

  [
    'a configuration with two problems',
    { PORT: 'x', LOG_LEVEL: 'y' },
    ['serve'],
    { code: 1, stderr: /^mailroom: the configuration cannot be used:\n {2}PORT is "x".*\n {2}LOG_LEVEL is "y"/ },
  ],

  [
    'a database that does not answer',
    { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x' },
    ['org', 'list'],
    { code: 1, stderr: /^mailroom: connect ECONNREFUSED 127\.0\.0\.1:1\n$/ },
  ],
  [
    'the doctor on such a database',
    { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x', MAILROOM_ROLES: 'worker' },
    ['doctor'],
    { code: 1, stdout: /problem {2}database +cannot be opened: connect ECONNREFUSED/ },
  ],
] as const)
  test(`${what} ends with ${expected.code} and says why`, async () => {
    const ended = await mailroom({ MAILROOM_DATA_DIR: join(scratch, 'none'), ...env }, ...argv)
    assert.equal(ended.code, expected.code, ended.stderr)
    assert.match(ended.stdout, 'stdout' in expected ? expected.stdout : /^$/)
    assert.match(ended.stderr, 'stderr' in expected ? expected.stderr : /^$/)
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes('hunter2'))
  })

test('on an empty directory the doctor makes nothing', async () => {
  const dataDir = join(scratch, 'untouched')
  const { code, stdout } = await mailroom({ MAILROOM_DATA_DIR: dataDir, MAILROOM_ROLES: 'worker' }, 'doctor')
  assert.equal(code, 0)
  assert.match(stdout, /database +embedded; created at the first start/)
  assert.ok(!existsSync(dataDir))
})

const empty = join(scratch, 'empty')
mkdirSync(empty)
const main = join(import.meta.dirname, '../../bin/mailroom.js')

/** Runs a command in a shell that has none of the service's settings. */
async function bare(...argv: readonly string[]) {
  const env = { PATH: process.env.PATH, MAILROOM_ROLES: 'worker' }
  const child = spawn(process.execPath, [main, ...argv], { cwd: empty, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { stdout, stderr, code }
}

test('a command without the settings of a service says what is missing, and makes no database', async () => {
  const missing =
    'mailroom: The configuration is missing: neither DATABASE_URL nor MAILROOM_DATA_DIR is set, and there is no database in ' +
    `${empty}/data. Set them as for the service (docs/configuration.md), or start the service, which creates a database there\n`
  for (const argv of [['org', 'create', 'Acme'], ['migrate'], ['secret', 'rotate']])
    assert.deepEqual(await bare(...argv), { stdout: '', stderr: missing, code: 1 }, argv.join(' '))
  assert.match((await bare('doctor')).stdout, /warning {2}database +neither DATABASE_URL nor MAILROOM_DATA_DIR is set/)
  assert.deepEqual(readdirSync(empty), [])
})

test('a command without the settings works on the database of a try-out that is there', async () => {
  await using home = await databaseHome({ embedded: true })
  symlinkSync(home.env.MAILROOM_DATA_DIR ?? '', join(empty, 'data'))
  const made = await bare('org', 'create', 'Acme')
  assert.deepEqual([made.code, made.stderr], [0, ''])
})
