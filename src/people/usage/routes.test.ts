import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { present } from './usage.ts'

const world = await World.ofFile()

async function usage(organization: TestOrganization) {
  return await organization.bodyOf(200, 'GET', '/v1/usage')
}

/** Counts recipients as sent, so many days from today by the database's clock. */
async function sent({ id }: TestOrganization, recipients: number, days = 0): Promise<void> {
  await sql`
    insert into sends (organization_id, day, recipients)
    values (${id}, (now() at time zone 'UTC')::date + ${days}::integer, ${recipients})`.execute(world.db)
}

test('GET /v1/usage shows the plan, what is used, the limits and what remains', async () => {
  const organization = await world.organization({ plan: 'free' })
  await organization.mailbox('ada')
  await organization.mailbox('bob')
  await sent(organization, 12)
  assert.deepEqual(await usage(organization), {
    plan: 'free',
    mailboxes: { used: 2, limit: 3, remaining: 1 },
    domains: { used: 1, limit: 1, remaining: 0 },
    storage: { used_bytes: 0, limit_bytes: 5 * 2 ** 30, remaining_bytes: 5 * 2 ** 30 },
    sending: { sent_today: 12, limit_per_day: 100, remaining_today: 88 },
  })
})

for (const [plan, domains, mailboxes, storage, sends] of [
  ['free', 1, 3, 5 * 2 ** 30, 100],
  ['team', 5, 25, 250 * 2 ** 30, 2_000],
  ['business', 25, 200, 2 * 2 ** 40, 10_000],
  ['self_hosted', 1_000, 100_000, 100 * 2 ** 40, 1_000_000],
] as const)
  test(`The plan ${plan} has its limits`, async () => {
    const body = await usage(await world.organization({ plan }))
    assert.deepEqual([body.plan, body.domains.limit, body.mailboxes.limit], [plan, domains, mailboxes])
    assert.deepEqual([body.storage.limit_bytes, body.sending.limit_per_day], [storage, sends])
  })

test('sent_today counts the UTC day, neither the one before nor the one after', async () => {
  const organization = await world.organization()
  await sent(organization, 50, -1)
  await sent(organization, 70, 1)
  assert.equal((await usage(organization)).sending.sent_today, 0)
  await sent(organization, 3)
  assert.equal((await usage(organization)).sending.sent_today, 3)
})

test('Storage is what the store of mail keeps', async () => {
  const { organization, address } = await world.mailbox('ada')
  await world.send({ from: 'ann@example.com', to: address, subject: 'Hello', text: 'x'.repeat(10_000) })
  const { storage } = await usage(organization)
  assert.ok(storage.used_bytes > 10_000 && storage.used_bytes < 13_000)
  assert.equal(storage.remaining_bytes, storage.limit_bytes - storage.used_bytes)
})

test('What remains never goes below zero', () => {
  const over = { used: 30, limit: 3 }
  const all = { mailboxes: over, domains: over, storage: over, sending: over }
  const { mailboxes, domains, storage, sending } = present({ plan: 'free', ...all })
  assert.deepEqual([mailboxes.remaining, domains.remaining], [0, 0])
  assert.deepEqual([storage.remaining_bytes, sending.remaining_today], [0, 0])
})
