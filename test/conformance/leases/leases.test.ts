import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { enqueue } from '#/adapters/mail-host/imap/spool/enqueue.ts'
import { claim, spoolLeases } from '#/adapters/mail-host/imap/spool/queries.ts'
import { claimWatches, watchLeases } from '#/adapters/mail-host/imap/watch/queries.ts'
import { claimUnindexed, indexingLeases } from '#/adapters/mail-host/sql/search/queue.ts'
import { byOperator } from '#/audit/actor.ts'
import { changeLeases, claimRunning } from '#/changes/queries.ts'
import { type LeasedTable, Leases } from '#/db/leases.ts'
import type { Db } from '#/db/schema.ts'
import { checkLeases, claimDue } from '#/domains/checks/queries.ts'
import { appendEvents } from '#/events/append.ts'
import { settled } from '#/events/log.ts'
import { claimRun, runLeases } from '#/filters/runs/steps.ts'
import { isNotSuspended } from '#/organizations/queries.ts'
import { createOrganization } from '#/organizations/register.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { claimWebhooks, leases as webhookLeases } from '#/webhooks/progress.ts'
import { copy } from '../mail-host/letters.ts'
import { newDomain, newMailbox } from '../mail-host/mailboxes.ts'
import { leasesMeanwhile } from './meanwhile.ts'
import type { QueueUnderTest } from './queue-under-test.ts'
import { leasesConformance } from './suite.ts'

const domains: QueueUnderTest = {
  table: 'domains',
  leases: checkLeases,
  claim: async (db) => [await claimDue(db, new Date())].filter((lease) => lease !== undefined),
  add: async (db, count) => {
    const { id } = await createOrganization(db, { name: randomUUID(), plan: 'self_hosted' }, byOperator)
    const { rows } = await sql<{ id: string }>`
      insert into domains (organization_id, domain, next_check_at)
      select ${id}, gen_random_uuid() || '.test', now() - make_interval(mins => ${count} + 1 - nth)
      from generate_series(1, ${count}::integer) nth order by nth returning id`.execute(db)
    return rows.map((row) => row.id)
  },
}

let mailbox: MailboxRef
const spool: QueueUnderTest = {
  table: 'mail_spool',
  leases: spoolLeases,
  counts: 'attempts',
  claim: (db) => claim(db, mailbox),
  add: async (db, count) => {
    mailbox = await newMailbox(db, { open: async () => {} }, await newDomain(db), 'ada')
    await db.transaction().execute((tx) => enqueue(tx, Array(count).fill(copy(mailbox)), 2 ** 30))
    const rows = await db.selectFrom('mail_spool').select('id').where('mailbox_id', '=', mailbox.mailboxId).execute()
    return rows.map(({ id }) => id).sort((a, b) => a - b)
  },
}

/** Resolves once an organization's event can be read: when every transaction of the server that began before it has ended. */
async function untilReadable(db: Db, organizationId: string): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from events where organization_id = ${organizationId} and position < ${settled}`.execute(db)
    if (rows.length > 0) return
    await pause(20)
  }
}

const webhooks: QueueUnderTest = {
  table: 'webhooks',
  leases: webhookLeases,
  claim: (db) => claimWebhooks(db, new Date(), 1),
  add: async (db, count) => {
    const { id } = await createOrganization(db, { name: randomUUID(), plan: 'self_hosted' }, byOperator)
    const event = { organizationId: id, type: 'label.created', data: { id: null, name: '' } } as const
    await db.transaction().execute((tx) => appendEvents(tx, [event]))
    await untilReadable(db, id)
    const { rows } = await sql<{ id: string }>`
      insert into webhooks (organization_id, name, url, key_id, secret, position, event_id, due_at)
      select ${id}, '', 'https://receiver.example', gen_random_uuid(), '', 0, 0,
        now() - make_interval(mins => ${count} + 1 - nth)
      from generate_series(1, ${count}::integer) nth order by nth returning id`.execute(db)
    return rows.map((row) => row.id)
  },
}

const watches: QueueUnderTest = {
  table: 'imap_watches',
  leases: watchLeases,
  claim: (db) => claimWatches(db, 1),
  add: async (db, count) => {
    const { rows } = await sql<{ id: string }>`
      insert into imap_watches (id, organization_id, due_at)
      select gen_random_uuid(), gen_random_uuid(), now() - make_interval(mins => ${count} + 1 - nth)
      from generate_series(1, ${count}::integer) nth order by nth returning id`.execute(db)
    return rows.map((row) => row.id)
  },
}

const filterRuns: QueueUnderTest = {
  table: 'filter_runs',
  leases: runLeases,
  claim: async (db) => [await claimRun(db)].filter((lease) => lease !== undefined),
  add: async (db, count) => {
    const { id } = await createOrganization(db, { name: randomUUID(), plan: 'self_hosted' }, byOperator)
    const { rows } = await sql<{ id: string }>`
      insert into filter_runs (organization_id, filters, preview, folders, actor_kind, actor_name, counts, due_at)
      select ${id}, '[]', false, '{inbox}', 'service', '', '{}', now() - make_interval(mins => ${count} + 1 - nth)
      from generate_series(1, ${count}::integer) nth order by nth returning id`.execute(db)
    return rows.map((row) => row.id)
  },
}

const changes: QueueUnderTest = {
  table: 'changes',
  leases: changeLeases,
  claim: async (db) => [await claimRunning(db, undefined)].filter((lease) => lease !== undefined),
  add: async (db, count) => {
    const { rows } = await sql<{ id: string }>`
      insert into changes (organization_id, mailboxes, kind, actor_kind, actor_name, state, at)
      select gen_random_uuid(), '{}', 'undo', 'service', '', 'running', now() - make_interval(mins => ${count} + 1 - nth)
      from generate_series(1, ${count}::integer) nth order by nth returning id`.execute(db)
    return rows.map((row) => row.id)
  },
}

let contents = 0
const unindexed: QueueUnderTest = {
  table: 'mail_search_queue',
  leases: indexingLeases,
  claim: (db) => claimUnindexed(db, 1),
  // The newest is due first.
  add: async (db, count) => {
    const ids = Array.from({ length: count }, () => (contents += 1)).reverse()
    await sql`
      insert into mail_search_queue (id, organization_id)
      select id, gen_random_uuid() from unnest(${ids}::bigint[]) as one (id)`.execute(db)
    return ids
  },
}

/** A queue with every optional feature: fairness between organizations, and poison rows. */
const errands = 'errands' as LeasedTable
const errandLeases = new Leases(errands, 20_000)
const addErrands = async (db: Db, organizationId: string, count: number) => {
  const { rows } = await sql<{ id: number }>`
    insert into errands (organization_id, due_at) select ${organizationId}, clock_timestamp() - interval '1 second'
    from generate_series(1, ${count}::integer)
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}
const model: QueueUnderTest = {
  table: errands,
  leases: errandLeases,
  counts: 'attempts and cut short',
  prepare: async (db) => {
    await sql`
      create table errands (
        id bigint generated always as identity primary key,
        organization_id uuid not null,
        due_at timestamptz(3) not null,
        leased_until timestamptz(3),
        lease_epoch integer not null default 0,
        attempts integer not null default 0,
        cut_short integer not null default 0,
        suspect boolean not null default false
      )`.execute(db)
  },
  claim: (db) => {
    const now = new Date()
    const due = sql`due_at <= ${now} and leased_until is null`
    return errandLeases.claim(db, now, {
      chosen: sql`
        with recursive waiting (organization_id) as (
          select min(organization_id::text)::uuid from errands
          union all
          select (select organization_id from errands where organization_id > waiting.organization_id
            order by organization_id limit 1)
          from waiting where waiting.organization_id is not null
        )
        select id from waiting cross join lateral (
          select id, row_number() over (order by due_at, id) as turn from errands
          where organization_id = waiting.organization_id and ${due} order by due_at, id limit 50
        ) one
        where ${isNotSuspended(sql.ref('waiting.organization_id'))} order by turn limit 50`,
      due,
      set: sql`attempts = attempts + 1`,
    })
  },
  add: async (db, count) =>
    addErrands(db, (await createOrganization(db, { name: randomUUID(), plan: 'business' }, byOperator)).id, count),
  addFor: addErrands,
  reclaimExpired: (db) => errandLeases.reclaimExpired(db, new Date(), sql`cut_short = cut_short + 1, suspect = true`),
}

leasesConformance('the checks of domains', domains)
leasesConformance('webhooks', webhooks)
leasesConformance('runs of filters', filterRuns)
leasesConformance('changes that are running', changes)
leasesConformance('contents to index', unindexed)
leasesConformance('mailboxes on an IMAP server that are looked at', watches)
leasesConformance('the spool of an IMAP server', spool)
leasesConformance('a queue that has all that a queue may have', model)
if (process.env.TEST_DATABASE_URL !== undefined) leasesMeanwhile()
