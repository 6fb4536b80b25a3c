// In a process of its own: its intervals stand still.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mock, test } from 'node:test'
import { sql } from 'kysely'
import { onceWritten } from '#test/world/observe/writes.ts'
import { World } from '#test/world/world.ts'

const [hour, day] = [3_600_000, 24 * 3_600_000]
const uuid = () => randomUUID()
const text = () => Buffer.from(randomUUID())

const sentRecipients = 'organization_id, message_id, sender, queued_at, state'
const filterRuns = 'organization_id, filters, preview, folders, actor_kind, actor_name, counts, state, finished_at'
const suppressions = 'organization_id, address, cause, bounces, bounced_at'
const changes = 'organization_id, mailboxes, kind, actor_kind, actor_name, state, at'
const outbound = `id, organization_id, kind, state, sender, smtp_utf8, eight_bit, size_bytes, attachment_count, scheduled_by,
  created_at, queued_at, send_at, fields, failed_at`
const failed = ['scheduled', 'failed', '', false, false, 0, 0, 'api_key']
const approvals = 'organization_id, mailbox_id, key, uid, digest, status, requested_by, decided_at'
const drafts = 'organization_id, mailbox_id, key, uid, sent_at, removed'

/** What is kept for a time only: a row of each table as it is made at a time, and for how long it is kept. The two that
 *  follow the calendar are kept until the day is over. */
const kept: readonly (readonly [table: string, forMs: number, columns: string, values: (at: Date) => unknown[]])[] = [
  ['idempotency_keys', day, 'organization_id, key, answer, created_at', (at) => [organization.id, uuid(), '', at]],
  ['arrivals', 7 * day, 'mailbox_id, digest, arrived_at', (at) => [mailboxId, text(), at]],
  ['request_uses', hour, 'key_id, used_at, count', (at) => [uuid(), at, 1]],
  ['request_holds', hour, 'key_id, process, count, until', (at) => [uuid(), uuid(), 1, at]],
  ['login_failures', hour, 'client, login, guess, failed_at', (at) => [text(), text(), text(), at]],
  ['login_clients', 30 * day, 'login, client, seen_at', (at) => [text(), text(), at]],
  ['auto_replies', 4 * day, 'mailbox_id, sender, replied_at', (at) => [mailboxId, uuid(), at]],
  ['return_paths', 21 * day, 'id, mailbox_id, address, used_at', (at) => [uuid(), mailboxId, 'ann@peer.example', at]],
  ['sent_recipients', 30 * day, sentRecipients, (at) => [organization.id, uuid(), '', at, 'delivered']],
  ['filter_runs', 30 * day, filterRuns, (at) => [organization.id, '[]', true, [], 'service', '', '{}', 'done', at]],
  ['suppressions', 90 * day, suppressions, (at) => [organization.id, uuid(), 'bounced', 1, at]],
  ['changes', 30 * day, changes, (at) => [organization.id, [mailboxId], 'messages', 'key', '', 'done', at]],
  // By the day: one of yesterday may be gone, whatever the hour.
  ['returned_reports', 0, 'mailbox_id, address, returned_on, returned', (at) => [mailboxId, uuid(), at, 1]],
  ['mta_sts_policies', 0, 'domain, id, mode, mx, until', (at) => [uuid(), '1', 'none', [], at]],
  ['retired_secrets', 30 * day, 'fingerprint, sealed, retired_at, replaced_at', (at) => [text(), text(), at, at]],
  ['outbound_messages', 30 * day, outbound, (at) => [uuid(), organization.id, ...failed, at, at, at, text(), at]],
  ['draft_approvals', 30 * day, approvals, (at) => [organization.id, mailboxId, '', 1, text(), 'declined', '{}', at]],
  ['sent_drafts', day, drafts, (at) => [organization.id, mailboxId, uuid(), 1, at, true]],
  ['passkey_challenges', 0, 'hash, purpose, expires_at', (at) => [text(), 'sign_in', at]],
]

mock.timers.enable({ apis: ['setInterval'] })
const world = await World.ofFile()
const organization = await world.organization()
const mailboxId = (await organization.mailbox('ada')).id

async function rows(table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${sql.table(table)}`.execute(
    world.db,
  )
  return rows[0]?.count ?? 0
}

test('what is kept for a time only is gone minutes after the service has started, and nothing sooner', async () => {
  const now = Date.now()
  for (const [table, forMs, columns, values] of kept)
    for (const at of [now - forMs - 2 * day, now - forMs / 2 + 60_000]) {
      const row = values(new Date(at))
      await sql`insert into ${sql.table(table)} (${sql.raw(columns)}) values (${sql.join(row)})`.execute(world.db)
    }
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
  ])
    await sql`
      with event as (
        insert into events (position, organization_id, at, type, actor_kind, actor_name, data)
        values (${position}, ${organization.id}, now() - make_interval(days => ${days}), 'test', 'service', '', '{}')
        returning position, id
      )
      insert into webhook_deliveries (organization_id, webhook_id, position, event_id, type, order_scope, state, attempts, due_at)
      select ${organization.id}, ${webhook}, position, id, 'test', '', 'failed', 1, now() from event`.execute(world.db)
  mock.timers.tick(hour)
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
  mock.timers.tick(hour)
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
    mock.timers.tick(hour)
    await onceWritten(async () => (await rows('login_clients')) < before)
  } finally {
    await rename('elsewhere', 'idempotency_keys')
  }
})
