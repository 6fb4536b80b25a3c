// On both databases: processes start at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofFile } from '#test/of-file.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { secret as first } from '#test/world/installation.ts'
import { labelWithIdempotencyKey } from '#test/world/organization/label-once.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { mailroom, type Service, startService } from '#test/world/service.ts'

const second = 'a second secret of at least thirty-two characters'

const home = ofFile(await databaseHome())
const organization = await storeOrganization(home, { domain: 'secret.test', mailboxes: ['ada'] })

const label = (service: Service, name: string) => labelWithIdempotencyKey(service, name, organization.key)

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
