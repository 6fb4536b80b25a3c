// On both databases: leases are taken, lost and waited for by several connections.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { appendEvents } from '#/base/event-log/append.ts'
import { checkLeases, claimDue } from '#/domains/checks/queries.ts'
import { claimWebhooks, leases as webhookLeases } from '#/events/webhooks/progress.ts'
import { claimRunning } from '#/mail/changes/queries.ts'
import { changeLeases } from '#/mail/changes/record.ts'
import { claimUnindexed, indexingLeases } from '#/mail/search-index/queue.ts'
import {
  claimScheduled,
  claimSuspect,
  claimWaiting,
  leases as outboundLeases,
  reclaimExpired,
} from '#/out/queue/claims.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { claimRun, runLeases } from '#/rules/filters/runs/steps.ts'
import { untilReadable } from '#test/events/logged.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled, addSent } from '#test/world/mail/queued.ts'
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

const webhooks: QueueUnderTest = {
  table: 'webhooks',
  leases: webhookLeases,
  claim: (db) => claimWebhooks(db, new Date(), 1),
  add: async (db, count) => {
    const { id } = await createOrganization(db, { name: randomUUID(), plan: 'self_hosted' }, byOperator)
    const event = { organizationId: id, type: 'label.created', data: { id: null, name: '' } } as const
    await db.transaction().execute((tx) => appendEvents(tx, [event]))
    await untilReadable(db)
    const { rows } = await sql<{ id: string }>`
      insert into webhooks (organization_id, name, url, key_id, secret, position, event_id, due_at)
      select ${id}, '', 'https://receiver.example', gen_random_uuid(), '', 0, 0,
        now() - make_interval(mins => ${count} + 1 - nth)
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

/** The outbound queue, to which `add` adds a message for each row. */
function outbound(add: typeof addScheduled): QueueUnderTest {
  const addFor = async (db: Db, organizationId: string, count: number) => {
    const now = new Date()
    const messages: string[] = []
    while (messages.length < count) messages.push(await add(db, organizationId, ['ada@there.example'], now))
    const recipients = db.selectFrom('outbound_recipients').select('id').where('message_id', 'in', messages)
    return (await recipients.orderBy('id').execute()).map(({ id }) => id)
  }
  return {
    table: 'outbound_recipients',
    leases: outboundLeases,
    counts: 'attempts and cut short',
    set: { claimed: sql`state = 'sending'`, released: sql`state = 'waiting'` },
    claim: async (db) => {
      const now = new Date()
      const { claims } = await claimScheduled(db, mailKey, now)
      const suspect = await claimSuspect(db, now, [])
      const batches = [...claims.map(({ batch }) => batch), ...(suspect ? [suspect] : [])]
      return [...batches, ...(await claimWaiting(db, now, [], 50))].flatMap(({ recipients }) => recipients)
    },
    add: async (db, count) =>
      addFor(db, (await createOrganization(db, { name: randomUUID(), plan: 'business' }, byOperator)).id, count),
    addFor,
    reclaimExpired: (db) => reclaimExpired(db, new Date()),
  }
}

leasesConformance('the checks of domains', domains)
leasesConformance('webhooks', webhooks)
leasesConformance('runs of filters', filterRuns)
leasesConformance('changes that are running', changes)
leasesConformance('contents to index', unindexed)
leasesConformance('mail that is sent', outbound(addSent))
leasesConformance('scheduled mail', outbound(addScheduled))
if (process.env.TEST_DATABASE_URL !== undefined) leasesMeanwhile()
