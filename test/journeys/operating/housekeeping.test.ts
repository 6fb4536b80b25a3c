// In a process of its own: its intervals stand still.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, mock, test } from 'node:test'
import { sql } from 'kysely'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { until } from '#test/world/until.ts'
import { World } from '#test/world/world.ts'

const day = 24 * 3_600_000

/** What is kept for a time only: a row of each table as it is made at a time, and for how long it is kept. The two that
 *  follow the calendar are kept until the day is over. */
const kept = [
  [
    'idempotency_keys',
    day,
    (at: Date) =>
      sql`(organization_id, key, answer, created_at) values (${organization.id}, ${randomUUID()}, '', ${at})`,
  ],
  ['arrivals', 7 * day, (at: Date) => sql`(mailbox_id, digest, arrived_at) values (${mailboxId}, ${text()}, ${at})`],
  ['request_uses', 3_600_000, (at: Date) => sql`(key_id, used_at, count) values (${randomUUID()}, ${at}, 1)`],
  [
    'request_holds',
    3_600_000,
    (at: Date) => sql`(key_id, process, count, until) values (${randomUUID()}, ${randomUUID()}, 1, ${at})`,
  ],
  [
    'login_failures',
    3_600_000,
    (at: Date) => sql`(client, login, guess, failed_at) values (${text()}, ${text()}, '', ${at})`,
  ],
  ['login_clients', 30 * day, (at: Date) => sql`(login, client, seen_at) values (${text()}, ${text()}, ${at})`],
  [
    'auto_replies',
    4 * day,
    (at: Date) => sql`(mailbox_id, sender, replied_at) values (${mailboxId}, ${randomUUID()}, ${at})`,
  ],
  [
    'return_paths',
    21 * day,
    (at: Date) => sql`(id, address, used_at) values (${randomUUID()}, 'ann@peer.example', ${at})`,
  ],
  [
    'sent_recipients',
    30 * day,
    (at: Date) =>
      sql`(organization_id, message_id, sender, queued_at, state)
        values (${organization.id}, ${randomUUID()}, '', ${at}, 'delivered')`,
  ],
  [
    'filter_runs',
    30 * day,
    (at: Date) =>
      sql`(organization_id, filters, preview, folders, actor_kind, actor_name, counts, state, finished_at)
        values (${organization.id}, '[]', true, '{}', 'service', '', '{}', 'done', ${at})`,
  ],
  [
    'suppressions',
    90 * day,
    (at: Date) =>
      sql`(organization_id, address, cause, bounces, bounced_at)
        values (${organization.id}, ${randomUUID()}, 'bounced', 1, ${at})`,
  ],
  [
    'changes',
    30 * day,
    (at: Date) =>
      sql`(organization_id, mailboxes, kind, actor_kind, actor_name, state, at)
        values (${organization.id}, array[${mailboxId}]::uuid[], 'messages', 'key', '', 'done', ${at})`,
  ],
  // By the day: one of yesterday may be gone, whatever the hour.
  [
    'returned_reports',
    0,
    (at: Date) => sql`(mailbox_id, address, returned_on, returned) values (${mailboxId}, ${randomUUID()}, ${at}, 1)`,
  ],
  [
    'mta_sts_policies',
    0,
    (at: Date) => sql`(domain, id, mode, mx, until) values (${randomUUID()}, '1', 'none', '{}', ${at})`,
  ],
  [
    'retired_secrets',
    30 * day,
    (at: Date) => sql`(fingerprint, sealed, retired_at, replaced_at) values (${text()}, '', ${at}, ${at})`,
  ],
] as const

let world: World
let organization: TestOrganization
let mailboxId: string
before(async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  world = await World.start()
  organization = await world.organization()
  mailboxId = (await organization.mailbox('ada')).id
})
after(async () => {
  await world[Symbol.asyncDispose]()
  mock.timers.reset()
})

function text(): Buffer {
  return Buffer.from(randomUUID())
}

async function rows(table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${sql.table(table)}`.execute(
    world.db,
  )
  return rows[0]?.count ?? 0
}

test('what is kept for a time only is gone minutes after the service has started, and nothing sooner', async () => {
  const now = Date.now()
  for (const [table, forMs, row] of kept)
    for (const at of [now - forMs - 2 * day, now - forMs / 2 + 60_000])
      await sql`insert into ${sql.table(table)} ${row(new Date(at))}`.execute(world.db)
  mock.timers.tick(5 * 60_000)
  const left = () => Promise.all(kept.map(([table]) => rows(table)))
  await until(async () => (await left()).every((count) => count <= 1))
  assert.deepEqual(
    Object.fromEntries(await Promise.all(kept.map(async ([table]) => [table, await rows(table)]))),
    Object.fromEntries(kept.map(([table]) => [table, 1])),
  )
})

test('an entry of the audit trail is gone an hour after 400 days', async () => {
  const entry = (action: string, days: number) => sql`
    insert into audit_entries (organization_id, at, actor_kind, actor_name, action, item_name)
    values (${organization.id}, now() - make_interval(days => ${days}), 'service', '', ${action}, '')`
  await entry('old', 401).execute(world.db)
  await entry('kept', 399).execute(world.db)
  mock.timers.tick(3_600_000)
  const left = async () =>
    (await world.db.selectFrom('audit_entries').select('action').where('action', 'in', ['old', 'kept']).execute()).map(
      ({ action }) => action,
    )
  await until(async () => (await left()).length <= 1)
  assert.deepEqual(await left(), ['kept'])
})
