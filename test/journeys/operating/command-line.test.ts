import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { directoryOfFile } from '#test/of-file.ts'
import { mailroom } from '#test/world/service.ts'

// What a command says where it comes to no database.

const scratch = directoryOfFile()

for (const [what, env, argv, expected] of [
  ['no command', {}, [], { code: 2, stderr: /^Usage: mailroom COMMAND/ }],
  ['--version', {}, ['--version'], { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ }],
  ['help', {}, ['help'], { code: 0, stdout: /^Usage: mailroom COMMAND/ }],
  ['help for serve', {}, ['serve', '--help'], { code: 0, stdout: /^Usage: mailroom serve / }],
  ['unknown roles', {}, ['serve', '--roles', 'smtp'], { code: 2, stderr: /^mailroom: --roles takes one or more/ }],
  ['an unknown option of serve', {}, ['serve', '--port=1'], { code: 2, stderr: /Usage: mailroom serve/ }],
  [
    'a configuration with two problems',
    { PORT: 'x', LOG_LEVEL: 'y' },
    ['serve'],
    { code: 1, stderr: /^mailroom: the configuration cannot be used:\n {2}PORT is "x".*\n {2}LOG_LEVEL is "y"/ },
  ],
  [
    'the doctor on such a configuration',
    { PORT: 'x', LOG_LEVEL: 'y' },
    ['doctor', '--json'],
    { code: 1, stdout: /"healthy": false[\s\S]*PORT is[\s\S]*LOG_LEVEL is/ },
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
