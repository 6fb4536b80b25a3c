import { type RawBuilder, sql } from 'kysely'
import { type Lease, Leases } from '#/base/db/leases.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Cursor } from '#/base/event-log/cursor.ts'
import { settled } from '#/base/event-log/log.ts'
import { isNotSuspended } from '#/people/organizations/queries.ts'
import type { StoredReceiver } from './attempt.ts'
import type { EventSequence } from './order.ts'
import type { Reader } from './reader.ts'

/** The lease for a round of a webhook, with the data of the round. */
export interface ClaimedWebhook extends Lease<string>, Reader, StoredReceiver {
  readonly id: string
  readonly name: string
  readonly types: readonly string[] | null
  readonly mailboxId: string | null
  readonly position: number
  readonly eventId: number
  readonly roundsFailed: number
  readonly failingSince: Date | null
  /** How often it had been resumed at the claim. */
  readonly resumes: number
}

/** Short, since a webhook whose process died waits for its end. */
export const leases = new Leases('webhooks', 8_000)

/** Claims webhooks with events to deliver, the longest waiting first. */
export async function claimWebhooks(db: Db, now: Date, most: number): Promise<ClaimedWebhook[]> {
  const due = sql`webhooks.paused_at is null and webhooks.due_at <= ${now}`
  return await leases.claim<ClaimedWebhook>(db, now, {
    chosen: sql`
      select webhooks.id from webhooks
      where ${due} and ${leases.free(now)} and ${isNotSuspended(sql.ref('webhooks.organization_id'))}
        and (
          exists (
            select from webhook_deliveries delivery
            where delivery.organization_id = webhooks.organization_id and delivery.webhook_id = webhooks.id
              and delivery.state = 'waiting' and delivery.due_at <= ${now}
          ) or exists (
            select from events event
            where event.organization_id = webhooks.organization_id
              and (event.position, event.id) > (webhooks.position, webhooks.event_id) and event.position < ${settled}
          )
        )
      order by webhooks.due_at limit ${most}`,
    due,
    returning: sql`organization_id as "organizationId", key_id as "keyId", member_id as "memberId", name, url, types,
      mailbox_id as "mailboxId", secret, previous_secret as "previousSecret", previous_until as "previousUntil",
      position, event_id as "eventId", rounds_failed as "roundsFailed", failing_since as "failingSince", resumes`,
  })
}

/** A delivery that waits for its next attempt, or for earlier ones. */
export interface Waiting extends EventSequence, Cursor {
  readonly type: string
  readonly attempts: number
  readonly dueAt: Date
  readonly firstAt: Date | null
}

/** The stored deliveries of a webhook that a round reads. */
export interface StoredDeliveries {
  /** In the order of the log. */
  readonly waiting: readonly Waiting[]
  /** Deliveries that a replay queued, and that ended before a round came to their events: these are done. */
  readonly doneAhead: readonly Cursor[]
}

export async function storedDeliveries(db: Db, webhook: ClaimedWebhook): Promise<StoredDeliveries> {
  const { organizationId, id, position, eventId } = webhook
  const own = sql`webhook_deliveries where organization_id = ${organizationId} and webhook_id = ${id}`
  const { rows } = await sql<Waiting & { waits: boolean }>`
    select position, event_id as id, type, order_scope as scope, order_part as part, attempts, due_at as "dueAt",
      first_at as "firstAt", true as waits
    from ${own} and state = 'waiting'
    union all
    select position, event_id, type, order_scope, order_part, attempts, due_at, first_at, false
    from ${own} and state <> 'waiting' and (position, event_id) > (${position}::bigint, ${eventId}::bigint)
    order by 1, 2`.execute(db)
  return { waiting: rows.filter(({ waits }) => waits), doneAhead: rows.filter(({ waits }) => !waits) }
}

/** A delivery after a round. */
export interface Recorded extends Waiting {
  /** Whether it was waiting before. */
  readonly stored: boolean
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly lastAt: Date | null
  readonly milliseconds: number | null
  readonly status: number | null
  readonly answer: string | null
  readonly error: string | null
}

/** The result of a round. */
export interface Progress {
  /** Everything up to this event is delivered or recorded. */
  readonly cursor: Cursor
  readonly recorded: readonly Recorded[]
  /** Deliveries that wait longer than before. */
  readonly delayed: readonly Waiting[]
  /** Deliveries whose events can no longer be read. */
  readonly gone: readonly Cursor[]
  readonly roundsFailed: number
  readonly failingSince: Date | null
  readonly dueAt: Date
  /** Whether all waiting deliveries are due at once. */
  readonly recovered: boolean
  readonly paused: { readonly at: Date; readonly because: string } | undefined
}

/** The result of a round during which the webhook was resumed: earlier failures no longer count. */
export function restarted(progress: Progress, now: Date): Progress {
  const recorded = progress.recorded.map((one): Recorded => {
    return one.state === 'delivered' ? one : { ...one, state: 'waiting', firstAt: null }
  })
  const nothing = { roundsFailed: 0, failingSince: null, paused: undefined }
  return { ...progress, ...nothing, recorded, dueAt: now, recovered: true }
}

/** Whether a webhook was resumed since its claim. Locks it. */
export async function wasResumed(tx: Tx, { organizationId, id, resumes }: ClaimedWebhook): Promise<boolean> {
  const { rows } = await sql<{ resumes: number }>`
    select resumes from webhooks where organization_id = ${organizationId} and id = ${id} for no key update`.execute(tx)
  return rows[0] !== undefined && rows[0].resumes !== resumes
}

/** Ends the lease and stores the result of the round; false if the lease is lost or the webhook deleted. */
export async function endRound(
  tx: Tx,
  webhook: ClaimedWebhook,
  { cursor, roundsFailed, failingSince, dueAt, paused }: Progress,
): Promise<boolean> {
  const held = await leases.release(
    tx,
    [webhook],
    sql`position = ${cursor.position}, event_id = ${cursor.id}, rounds_failed = ${roundsFailed},
      failing_since = ${failingSince}, due_at = ${dueAt}, paused_at = coalesce(paused_at, ${paused?.at ?? null}),
      paused_because = case when paused_at is null then ${paused?.because ?? null}::text else paused_because end`,
  )
  return held.size > 0
}

/** Ends the lease of a round without a result. The webhook is due again at that time. */
export async function giveBack(db: Db, webhook: ClaimedWebhook, dueAt: Date): Promise<void> {
  await leases.release(db, [webhook], sql`due_at = ${dueAt}`)
}

/** The most stored deliveries of a webhook that are done. */
const deliveredKept = 100

/** Stores them once `endRound` has stored the cursor: deliveries ahead of it are kept until the cursor reaches them. What was
 *  replayed since the claim still waits, to be delivered again. */
export async function recordDeliveries(
  tx: Tx,
  webhook: ClaimedWebhook,
  { recorded, replayedAfter }: { readonly recorded: readonly Recorded[]; readonly replayedAfter: Date },
): Promise<void> {
  const { organizationId, id } = webhook
  const [stored, fresh] = [recorded.filter((one) => one.stored), recorded.filter((one) => !one.stored)]
  const atOnce = fresh.filter(({ state }) => state === 'delivered')
  const others = fresh.filter(({ state }) => state !== 'delivered')
  await storeDeliveries(tx, webhook, stored, sql`webhook_deliveries.due_at > ${replayedAfter}`)
  await storeDeliveries(tx, webhook, [...others, ...atOnce.slice(-deliveredKept)], sql`true`)
  if (!recorded.some(({ state }) => state === 'delivered')) return
  await sql`
    delete from webhook_deliveries where organization_id = ${organizationId} and webhook_id = ${id} and state = 'delivered'
      and (position, event_id) <= (
        select position, event_id from webhook_deliveries
        where organization_id = ${organizationId} and webhook_id = ${id} and state = 'delivered'
        order by position desc, event_id desc offset ${deliveredKept} limit 1
      ) and (position, event_id) <= (
        select position, event_id from webhooks where organization_id = ${organizationId} and id = ${id}
      )`.execute(tx)
}

/** Without those that are stored as waiting, and were `replayed`. */
async function storeDeliveries(
  tx: Tx,
  { organizationId, id }: ClaimedWebhook,
  rows: readonly Recorded[],
  replayed: RawBuilder<unknown>,
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into webhook_deliveries (organization_id, webhook_id, position, event_id, type, order_scope, order_part, state,
      attempts, due_at, first_at, last_at, milliseconds, status, answer, error)
    select ${organizationId}, ${id}, position, id, type, scope, part, state, attempts, "dueAt", "firstAt", "lastAt",
      milliseconds, status, answer, error
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (position bigint, id bigint, type text, scope text,
      part text, state text, attempts integer, "dueAt" timestamptz, "firstAt" timestamptz, "lastAt" timestamptz,
      milliseconds integer, status smallint, answer text, error text)
    on conflict (organization_id, webhook_id, position, event_id) do update set state = excluded.state,
      attempts = excluded.attempts, due_at = excluded.due_at, first_at = excluded.first_at, last_at = excluded.last_at,
      milliseconds = excluded.milliseconds, status = excluded.status, answer = excluded.answer, error = excluded.error
    where not (webhook_deliveries.state = 'waiting' and ${replayed})`.execute(tx)
}

export async function forgetWaiting(
  tx: Tx,
  { organizationId, id }: ClaimedWebhook,
  gone: readonly Cursor[],
): Promise<void> {
  if (gone.length === 0) return
  const [positions, ids] = [gone.map((one) => one.position), gone.map((one) => one.id)]
  await sql`
    delete from webhook_deliveries delivery using unnest(${positions}::bigint[], ${ids}::bigint[]) as gone (position, id)
    where delivery.organization_id = ${organizationId} and delivery.webhook_id = ${id} and delivery.state = 'waiting'
      and delivery.position = gone.position and delivery.event_id = gone.id`.execute(tx)
}

export async function delayWaiting(
  tx: Tx,
  { organizationId, id }: ClaimedWebhook,
  delayed: readonly Waiting[],
): Promise<void> {
  if (delayed.length === 0) return
  await sql`
    update webhook_deliveries delivery set due_at = "dueAt"
    from jsonb_to_recordset(${JSON.stringify(delayed)}::jsonb) as delayed (position bigint, id bigint, "dueAt" timestamptz)
    where delivery.organization_id = ${organizationId} and delivery.webhook_id = ${id} and delivery.state = 'waiting'
      and delivery.position = delayed.position and delivery.event_id = delayed.id`.execute(tx)
}

/** The receiver is back: waiting deliveries are due at once. */
export async function makeWaitingDue(tx: Tx, { organizationId, id }: ClaimedWebhook, now: Date): Promise<void> {
  await sql`
    update webhook_deliveries set due_at = ${now}
    where organization_id = ${organizationId} and webhook_id = ${id} and state = 'waiting' and due_at > ${now}`.execute(
    tx,
  )
}

/** Whether any webhook is not paused. */
export async function anyWebhook(db: Db): Promise<boolean> {
  const { rows } = await sql`select from webhooks where paused_at is null limit 1`.execute(db)
  return rows.length > 0
}

/** Deletes deliveries of events that are no longer in the log. */
export async function forgetDeliveries(db: Db): Promise<void> {
  await sql`
    delete from webhook_deliveries delivery using webhooks
    where delivery.organization_id = webhooks.organization_id and delivery.webhook_id = webhooks.id
      and delivery.position <= (select forgotten from event_log where only_row)`.execute(db)
}
