import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { measureSpool } from '#/messages/spooled.ts'
import type { Metrics } from './metrics.ts'

/** Rows beyond this are not counted: counting must not cost more than sending. */
const mostCounted = 100_000
/** However often the metrics are asked for, in milliseconds. */
const believedMs = 5_000

interface Queues {
  readonly waiting: number
  readonly sending: number
  readonly overdue_seconds: number
  readonly scheduled_due: number
  readonly scheduled_lag_seconds: number
}

/** How long the queues are that all processes on one database share, and how late they are. */
export function measureQueues(metrics: Metrics, db: Db): void {
  const queues = believed(() => read(db))
  metrics.gauge(
    {
      name: 'mailroom_outbound_recipients',
      help: `Recipients of mail that has not left yet, by state; at most ${mostCounted} are counted`,
      label: 'state',
    },
    async () => {
      const { waiting, sending } = await queues()
      return { waiting, sending }
    },
  )
  metrics.gauge(
    { name: 'mailroom_outbound_overdue_seconds', help: 'How long ago the recipient that waits the longest was due' },
    async () => (await queues()).overdue_seconds,
  )
  metrics.gauge(
    { name: 'mailroom_scheduled_due', help: 'Scheduled messages that are due and not sent yet' },
    async () => (await queues()).scheduled_due,
  )
  metrics.gauge(
    {
      name: 'mailroom_scheduled_lag_seconds',
      help: 'How long ago the scheduled message that waits the longest was due',
    },
    async () => (await queues()).scheduled_lag_seconds,
  )
  measureSpooled(metrics, db)
}

/** What waits for the mail server, where mail is on one. */
function measureSpooled(metrics: Metrics, db: Db): void {
  const spool = believed(() => measureSpool(db, mostCounted))
  metrics.gauge(
    {
      name: 'mailroom_spool_messages',
      help: `Messages that the mail server has not taken yet, by how the last attempt ended; at most ${mostCounted} are counted`,
      label: 'reason',
    },
    async () => ({ ...(await spool()).messages }),
  )
  metrics.gauge(
    { name: 'mailroom_spool_bytes', help: 'Bytes of mail that the mail server has not taken yet' },
    async () => (await spool()).bytes,
  )
  metrics.gauge(
    {
      name: 'mailroom_spool_oldest_seconds',
      help: 'How long ago the message came that has waited the longest for the mail server',
    },
    async () => (await spool()).oldest_seconds,
  )
}

/** Reads once for all who ask within a while. */
function believed<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { until: number; reading: Promise<T> } | undefined
  return () => {
    if (!last || performance.now() >= last.until) last = { until: performance.now() + believedMs, reading: read() }
    return last.reading
  }
}

async function read(db: Db): Promise<Queues> {
  const { rows } = await sql<Queues>`
    select outbound.*, scheduled.* from (
      select count(*) filter (where state <> 'sending') as waiting, count(*) filter (where state = 'sending') as sending,
        coalesce(greatest(extract(epoch from now() - min(due_at) filter (where state <> 'sending')), 0), 0)::float8
          as overdue_seconds
      from (
        (select state, due_at from outbound_recipients where state = 'waiting' limit ${mostCounted}::integer)
        union all (select state, due_at from outbound_recipients where state = 'suspect' limit ${mostCounted}::integer)
        union all (select state, due_at from outbound_recipients where leased_until is not null)
      ) one
    ) outbound, (
      select count(*) as scheduled_due,
        coalesce(extract(epoch from now() - min(send_at)), 0)::float8 as scheduled_lag_seconds
      from (
        select send_at from outbound_messages where state = 'scheduled' and send_at <= now() limit ${mostCounted}::integer
      ) one
    ) scheduled`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database did not answer for its queues')
  return row
}
