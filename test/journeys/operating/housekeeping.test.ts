// In a process of its own: its intervals stand still.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, mock, test } from 'node:test'
import { sql } from 'kysely'
import { onceWritten } from '#test/observe/writes.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
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
    'replaced_message_ids',
    90 * day,
    (at: Date) =>
      sql`(organization_id, given, own, queued_at) values (${organization.id}, ${randomUUID()}, '<1@here>', ${at})`,
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
  [
    'outbound_messages',
    30 * day,
    (at: Date) =>
      sql`(id, organization_id, kind, state, sender, smtp_utf8, eight_bit, size_bytes, created_at, queued_at, send_at, fields,
          attachment_count, scheduled_by, failed_at)
        values (${randomUUID()}, ${organization.id}, 'scheduled', 'failed', '', false, false, 0, ${at}, ${at}, ${at}, '', 0,
          'api_key', ${at})`,
  ],
  [
    'draft_approvals',
    30 * day,
    (at: Date) =>
      sql`(organization_id, mailbox_id, key, uid, digest, status, requested_by, decided_at)
        values (${organization.id}, ${mailboxId}, '', 1, '', 'declined', '{}', ${at})`,
  ],
  [
    'sent_drafts',
    day,
    (at: Date) =>
      sql`(organization_id, mailbox_id, key, uid, sent_at, removed)
        values (${organization.id}, ${mailboxId}, ${randomUUID()}, 1, ${at}, true)`,
  ],
  ['passkey_challenges', 0, (at: Date) => sql`(hash, purpose, expires_at) values (${text()}, 'sign_in', ${at})`],
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
  await onceWritten(async () => (await left()).every((count) => count <= 1))
  assert.deepEqual(
    Object.fromEntries(await Promise.all(kept.map(async ([table]) => [table, await rows(table)]))),
    Object.fromEntries(kept.map(([table]) => [table, 1])),
  )
})

test('an event is gone an hour after 30 days, with what is recorded of its deliveries', async () => {
  const webhook = randomUUID()
  await sql`
    insert into webhooks (id, organization_id, name, url, key_id, secret, position, event_id, due_at, paused_at)
    values (${webhook}, ${organization.id}, '', 'https://receiver.example', gen_random_uuid(), '', 0, 0, now(), now())`.execute(
    world.db,
  )
  for (const [position, days] of [
    [1, 31],
    [2, 29],
  ]) {
    await sql`
      with event as (
        insert into events (position, organization_id, at, type, actor_kind, actor_name, data)
        values (${position}, ${organization.id}, now() - make_interval(days => ${days}), 'test', 'service', '', '{}')
        returning position, id
      )
      insert into webhook_deliveries (organization_id, webhook_id, position, event_id, type, order_scope, state, attempts, due_at)
      select ${organization.id}, ${webhook}, position, id, 'test', '', 'failed', 1, now() from event`.execute(world.db)
  }
  mock.timers.tick(3_600_000)
  const left = async (table: 'events' | 'webhook_deliveries') =>
    (await world.db.selectFrom(table).select('position').where('type', '=', 'test').execute()).map(
      (row) => row.position,
    )
  await onceWritten(async () => (await left('webhook_deliveries')).length <= 1)
  assert.deepEqual([await left('events'), await left('webhook_deliveries')], [[2], [2]])
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
  await onceWritten(async () => (await left()).length <= 1)
  assert.deepEqual(await left(), ['kept'])
})

test('what cannot be deleted keeps nothing else', async () => {
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.ref(to)}`.execute(world.db)
  await sql`insert into login_clients (login, client, seen_at) values (${text()}, ${text()}, now() - interval '31 days')`.execute(
    world.db,
  )
  const before = await rows('login_clients')
  await rename('idempotency_keys', 'elsewhere')
  try {
    mock.timers.tick(3_600_000)
    await onceWritten(async () => (await rows('login_clients')) < before)
  } finally {
    await rename('elsewhere', 'idempotency_keys')
  }
})
