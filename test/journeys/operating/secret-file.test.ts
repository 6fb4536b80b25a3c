// On one database: the embedded one.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAt } from '#test/faults/letters/post-office.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { labelWithIdempotencyKey } from '#test/world/organization/label-once.ts'
import { mailroom, startService } from '#test/world/service.ts'

test('the secret in the data directory is changed while the service runs, and an interrupted change is finished', async () => {
  await using home = await databaseHome({ embedded: true })
  const { MAILROOM_DATA_DIR = '' } = home.env
  const env = { MAILROOM_DATA_DIR }
  const file = async () => (await readFile(join(MAILROOM_DATA_DIR, 'secret'), 'utf8')).trimEnd().split('\n')
  const answerTo = async (...argv: string[]) => {
    const { stdout, stderr, code } = await mailroom(env, ...argv, '--json')
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  await answerTo('org', 'create', 'Acme')
  const { key } = await answerTo('key', 'create', '--org', 'Acme', '--scopes', 'all')

  let service = await startService(env)
  const [made] = await file()
  await labelWithIdempotencyKey(service, 'First', key)
  assert.equal((await answerTo('secret', 'rotate')).unopened.length, 0)
  const [changed, ...none] = await file()
  assert.ok(changed !== made && none.length === 0)
  assert.ok((await labelWithIdempotencyKey(service, 'First', key)).replayed)
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })

  for (const [statement, left] of [
    ['insert into "retired_secrets"', 2],
    ['update "idempotency_keys"', 2],
  ] as const) {
    const before = await file()
    const killed = await mailroom(
      { ...env, ...killedAt({ statements: [statement], when: 'after' }) },
      'secret',
      'rotate',
    )
    assert.equal(killed.code, null, statement)
    assert.equal((await file()).length, left, statement)
    service = await startService(env)
    assert.ok((await labelWithIdempotencyKey(service, 'First', key)).replayed, statement)
    await answerTo('secret', 'rotate')
    assert.ok((await labelWithIdempotencyKey(service, 'First', key)).replayed, statement)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    const now = await file()
    assert.ok(now.length === 1 && now[0] !== before[0])
  }
})
