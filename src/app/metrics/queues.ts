import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { Metrics } from './metrics.ts'

/** Rows beyond this are not counted: counting must not cost more than sending. */
const mostCounted = 100_000
/** How long a reading is reused, in milliseconds. */
const reusedMs = 5_000

interface Queues {
  readonly waiting: number
  readonly sending: number
  readonly overdue_seconds: number
  readonly unanswered_seconds: number
  readonly scheduled_due: number
  readonly scheduled_lag_seconds: number
}

/** The length and lag of the queues, which all processes on one database share. */
export function measureQueues(metrics: Metrics, db: Db): void {
  const queues = reused(() => read(db))
  metrics.gauge(
    {
      name: 'mailroom_outbound_recipients',
      help: `Recipients in the outbound queue, by state; at most ${mostCounted} are counted`,
      label: 'state',
    },
    async () => {
      const { waiting, sending } = await queues()
      return { waiting, sending }
    },
  )
  metrics.gauge(
    { name: 'mailroom_outbound_overdue_seconds', help: 'How long the oldest due recipient has been due' },
    async () => (await queues()).overdue_seconds,
  )
  metrics.gauge(
    {
      name: 'mailroom_outbound_unanswered_seconds',
      help: 'The age of the oldest message for which no server has answered yet; 0 if there is none',
    },
    async () => (await queues()).unanswered_seconds,
  )
  metrics.gauge(
    { name: 'mailroom_scheduled_due', help: 'Scheduled messages that are due and not sent yet' },
    async () => (await queues()).scheduled_due,
  )
  metrics.gauge(
    {
      name: 'mailroom_scheduled_lag_seconds',
      help: 'How long the oldest due scheduled message has been due',
    },
    async () => (await queues()).scheduled_lag_seconds,
  )
}

/** Reuses a reading for a while. */
function reused<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { until: number; reading: Promise<T> } | undefined
  return () => {
    if (!last || performance.now() >= last.until) last = { until: performance.now() + reusedMs, reading: read() }
    return last.reading
  }
}

async function read(db: Db): Promise<Queues> {
  const { rows } = await sql<Queues>`
    select outbound.*, unanswered.*, scheduled.* from (
      select count(*) filter (where state <> 'sending') as waiting, count(*) filter (where state = 'sending') as sending,
        coalesce(greatest(extract(epoch from now() - min(due_at) filter (where state <> 'sending')), 0), 0)::float8
          as overdue_seconds
      from (
        (select state, due_at from outbound_recipients where state = 'waiting' limit ${mostCounted}::integer)
        union all (select state, due_at from outbound_recipients where state = 'suspect' limit ${mostCounted}::integer)
        union all (select state, due_at from outbound_recipients where leased_until is not null)
      ) one
    ) outbound, (
      select coalesce(extract(epoch from now() - min(message.queued_at)), 0)::float8 as unanswered_seconds
      from (
        select message_id from outbound_recipients
        where state = 'waiting' and attempts > 0 and reply is null limit ${mostCounted}::integer
      ) one join outbound_messages message on message.id = one.message_id
    ) unanswered, (
      select count(*) as scheduled_due,
        coalesce(extract(epoch from now() - min(send_at)), 0)::float8 as scheduled_lag_seconds
      from (
        select send_at from outbound_messages where state = 'scheduled' and send_at <= now() limit ${mostCounted}::integer
      ) one
    ) scheduled`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The queues could not be read')
  return row
}
