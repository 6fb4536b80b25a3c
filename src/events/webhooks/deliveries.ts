import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Cursor } from '#/base/event-log/cursor.ts'
import type { LoggedEvent } from '#/base/event-log/log.ts'
import { sequenceOf } from './order.ts'

/** A delivery in a list. */
export interface Delivery extends Cursor {
  readonly type: string
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly attempts: number
  readonly due_at: Date
  readonly last_at: Date | null
  readonly milliseconds: number | null
  readonly status: number | null
  readonly answer: string | null
  readonly error: string | null
}

/** The webhook of the deliveries. */
export interface Of {
  readonly organizationId: string
  readonly id: string
}

/** Deliveries of the newest events first, before a place. */
export async function deliveriesOf(
  db: Db,
  { organizationId, id }: Of,
  { state, before, limit }: { state: string | undefined; before: Cursor | undefined; limit: number },
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select position, event_id as id, type, state, attempts, due_at, last_at, milliseconds, status, answer, error
    from webhook_deliveries
    where organization_id = ${organizationId} and webhook_id = ${id}
      and ${state === undefined ? sql`true` : sql`state = ${state}`}
      and ${before ? sql`(position, event_id) < (${before.position}, ${before.id})` : sql`true`}
    order by position desc, event_id desc limit ${limit}`.execute(db)
  return rows
}

export async function waitingCount(tx: Tx, { organizationId, id }: Of): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries
    where organization_id = ${organizationId} and webhook_id = ${id} and state = 'waiting'`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Schedules events to be delivered again, now. */
export async function redeliver(
  tx: Tx,
  { organizationId, id }: Of,
  events: readonly LoggedEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => ({
    ...sequenceOf(event),
    position: event.position,
    id: event.id,
    type: event.type,
  }))
  await sql`
    insert into webhook_deliveries (organization_id, webhook_id, position, event_id, type, order_scope, order_part, state,
      attempts, due_at)
    select ${organizationId}, ${id}, position, id, type, scope, part, 'waiting', 0, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (position bigint, id bigint, type text, scope text, part text)
    on conflict (organization_id, webhook_id, position, event_id)
      do update set state = 'waiting', attempts = 0, due_at = excluded.due_at, first_at = null`.execute(tx)
}
