// On both databases: processes start at once.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAt } from '#test/faults/letters/post-office.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { secret as first } from '#test/world/installation.ts'
import { ofFile } from '#test/world/of-file.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { mailroom, type Service, startService } from '#test/world/service.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'

const second = 'a second secret of at least thirty-two characters'

const home = ofFile(await databaseHome())
const organization = await storeOrganization(home, { domain: 'secret.test', mailboxes: ['ada'] })

/** Creates a label under an Idempotency-Key; the answer is kept sealed. */
async function label({ http }: Service, name: string, key = organization.key) {
  const options = { key, body: { name }, headers: { 'idempotency-key': name } }
  const { status, body, headers } = await new HttpClient(http).request('POST', '/v1/labels', options)
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, replayed: headers.get('idempotency-replayed') === 'true' }
}

async function stopped(services: readonly Service[]): Promise<void> {
  for (const service of services) assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
}

test('the secret of the environment is changed by a rolling restart, and what was sealed before opens all the while', async () => {
  // The embedded database has one process.
  const many = home.env.DATABASE_URL === undefined ? 1 : 2
  const start = (more: Record<string, string>) =>
    Promise.all(Array.from({ length: many }, () => startService({ ...home.env, ...more })))
  const both = { MAILROOM_SECRET: second, MAILROOM_SECRET_PREVIOUS: first }

  const old = await start({ MAILROOM_SECRET: first })
  const [one] = old
  assert.ok(one)
  const made = await label(one, 'Made under the first')
  const early = await mailroom({ ...home.env, ...both }, 'secret', 'rotate')
  assert.equal(early.code, 1)
  assert.match(early.stderr, /MAILROOM_SECRET_PREVIOUS/)
  assert.ok((await label(one, 'Made under the first')).replayed, 'nothing has changed')
  await stopped(old)

  const informed = await start(both)
  const rotated = await mailroom({ ...home.env, ...both }, 'secret', 'rotate', '--json')
  assert.equal(rotated.code, 0, rotated.stderr)
  assert.ok(JSON.parse(rotated.stdout).resealed >= 1)
  for (const service of informed) {
    assert.deepEqual(await label(service, 'Made under the first'), { ...made, replayed: true })
    await label(service, 'Made after the change')
  }
  assert.match((await mailroom({ ...home.env, ...both }, 'secret', 'rotate')).stderr, /the secret in force/)
  await stopped(informed)

  const renewed = await start({ MAILROOM_SECRET: second })
  for (const service of renewed)
    for (const name of ['Made under the first', 'Made after the change'])
      assert.ok((await label(service, name)).replayed)
  await stopped(renewed)
  await assert.rejects(startService({ ...home.env, MAILROOM_SECRET: first }), /not the one that is in force/)
})

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
  await label(service, 'First', key)
  assert.equal((await answerTo('secret', 'rotate')).unopened.length, 0)
  const [changed, ...none] = await file()
  assert.ok(changed !== made && none.length === 0)
  assert.ok((await label(service, 'First', key)).replayed)
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
    assert.ok((await label(service, 'First', key)).replayed, statement)
    await answerTo('secret', 'rotate')
    assert.ok((await label(service, 'First', key)).replayed, statement)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    const now = await file()
    assert.ok(now.length === 1 && now[0] !== before[0])
  }
})
