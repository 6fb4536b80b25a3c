// On both databases: several processes share a cap.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { byOperator } from '#/audit/actor.ts'
import { createOrganization } from '#/organizations/register.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { storeKey } from '#test/world/organization/stored-key.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { type Service, startService } from '#test/world/service.ts'

/** One process on the embedded database, which can have no more; that one is killed and started again. */
const processes = process.env.TEST_DATABASE_URL === undefined ? 1 : 3
const requests = 100
const cap = 10
const domain = 'capped.test'

test(`${requests} creates at once at a cap of ${cap} over ${processes} processes, one killed: exactly ${cap}, counter = rows`, {
  timeout: 300_000,
}, async () => {
  await using home = await databaseHome()
  const { organizationId, key } = await storeOrganization(home)
  const start = () => startService(home.env, ['serve', '--bare', '--roles', 'api'])
  const running = await Promise.all(Array.from({ length: processes }, start))
  let answered = 0
  const killed = Promise.withResolvers<void>()
  const answers = Array.from({ length: requests }, async (_, number) => {
    for (;;) {
      const status = await create(running[number % running.length], key, number)
      // It was cut off, or its first attempt is still being rolled back: it is repeated under the same key. A hundred that
      // repeat it more often are refused thousands of times by the rate limit.
      if (status === undefined || status === 409 || status === 429) await setTimeout(500)
      else {
        if (++answered === cap / 2) killed.resolve()
        return status
      }
    }
  })
  await killed.promise
  const [victim] = running.splice(0, 1)
  await victim?.end('SIGKILL')
  if (running.length === 0) running.push(await start())
  const statuses = await Promise.all(answers)
  assert.deepEqual(tally(statuses), { 201: cap, 402: requests - cap })
  await Promise.all(running.map((service) => service.end('SIGTERM')))
  await using database = await home.open()
  const rows = await database.db.selectFrom('mailboxes').select('local_part').execute()
  const { mailboxes } = await database.db
    .selectFrom('organization_usage')
    .select('mailboxes')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  assert.deepEqual([rows.length, mailboxes], [cap, cap])
})

async function storeOrganization(home: DatabaseHome): Promise<{ organizationId: string; key: string }> {
  await using database = await home.open()
  const { db } = database
  const plan = { name: 'ten', domains: 1, mailboxes: cap, storage_bytes: 2 ** 30, sends_per_day: 1 }
  await db.insertInto('plans').values(plan).execute()
  const { id: organizationId } = await createOrganization(db, { name: 'Capped', plan: 'ten' }, byOperator)
  await insertVerifiedDomain(db, organizationId, domain)
  return { organizationId, key: await storeKey(db, organizationId) }
}

/** The status of the answer; undefined where there is none. */
async function create(service: Service | undefined, key: string, number: number): Promise<number | undefined> {
  try {
    const response = await fetch(`${service?.http}/v1/mailboxes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `mailbox ${number}`,
      },
      body: JSON.stringify({ domain, local_part: `box${number}` }),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}

function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
