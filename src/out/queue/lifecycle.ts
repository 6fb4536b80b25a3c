import { sql } from 'kysely'
import type { Now } from '#/base/db/leases.ts'
import { retentionMs } from '#/base/db/retention.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { appendEvents, type By } from '#/base/event-log/append.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Caller } from '#/http/access/caller.ts'
import { type OutcomeEvents, storeOutcomes } from '#/out/sent/outcomes.ts'
import { allRoutes, type Claimed, leases } from './claims.ts'
import { type Encoding, replacePieces } from './enqueue.ts'
import type { QueuedMessage } from './message.ts'

/** The changes of state of scheduled messages, beside `enqueueScheduled` and `claimScheduled`. */

/** A message that is ready to leave, with the leases on its recipients. */
export interface Departing {
  readonly message: QueuedMessage
  readonly recipients: readonly Claimed[]
  readonly raw: Buffer
  readonly encoding: Encoding
  /** The octets differ from those that are stored. */
  readonly changed: boolean
}

/**
 * Stores the final octets of `sending` messages and records that the day's allowance was claimed for them. Answers the ids of
 * those for which no worker had done so before. For the others the earlier octets stay.
 */
export async function depart(
  tx: Tx,
  key: SealingKey,
  departing: readonly Departing[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const ids = departing.map(({ message }) => message.id)
  const sizes = departing.map(({ raw }) => raw.length)
  const utf8 = departing.map(({ encoding }) => encoding.smtpUtf8)
  const eightBit = departing.map(({ encoding }) => encoding.eightBit)
  const { rows } = await sql<{ id: string }>`
    update outbound_messages message
    set allowance_due = 0, queued_at = ${now}, size_bytes = one.size, smtp_utf8 = one.utf8, eight_bit = one.eight_bit
    from unnest(${ids}::uuid[], ${sizes}::integer[], ${utf8}::boolean[], ${eightBit}::boolean[])
      as one (id, size, utf8, eight_bit)
    where message.id = any (${ids}::uuid[]) and message.id = one.id and state = 'sending' and allowance_due > 0
      and exists (
        select from outbound_recipients where message_id = message.id
          and ${leases.held(departing.flatMap(({ recipients }) => recipients))}
      )
    returning message.id`.execute(tx)
  const departed = new Set(rows.map(({ id }) => id))
  for (const { message, raw, changed } of departing)
    if (changed && departed.has(message.id)) await replacePieces(tx, key, message.id, raw)
  return departed
}

/** A message that is delivered to all its recipients. */
export interface Sent {
  readonly messageId: string
  readonly recipients: readonly Claimed[]
  /** Events of the delivery. */
  readonly events?: readonly OutcomeEvents[]
}

/** `update outbound_messages set …` for a `sending` message that is delivered to a recipient. Its Sent copy is due at `send_at`. */
const copyPending = sql`state = 'copy_pending', copy_due_at = send_at, last_error = null`

/** `sending` → `copy_pending`, for messages delivered to all their recipients, which are deleted. Answers for each whether this
 *  was stored: not if a lease is lost. */
export async function endSent(db: Db, sent: readonly Sent[]): Promise<readonly boolean[]> {
  const ended = await db.transaction().execute(async (tx) => {
    const ids = await endClaimed(tx, sent)
    await storeOutcomes(
      tx,
      sent.flatMap(({ messageId, events = [] }) => (ids.has(messageId) ? events : [])),
    )
    return ids
  })
  return sent.map(({ messageId }) => ended.has(messageId))
}

async function endClaimed(tx: Tx, sent: readonly Sent[]): Promise<ReadonlySet<string>> {
  const ids = sent.map(({ messageId }) => messageId)
  const counts = sent.map(({ recipients }) => recipients.length)
  const { rows } = await sql<{ id: string }>`
    with claimed as materialized (
      select id, message_id from outbound_recipients
      where ${leases.held(sent.flatMap(({ recipients }) => recipients))} order by id for update
    ), own as materialized (
      select message_id, array_agg(claimed.id) as recipients
      from claimed join unnest(${ids}::uuid[], ${counts}::integer[]) as one (id, count) on one.id = message_id
      group by message_id, one.count having count(*) = one.count
    ), settled as (
      delete from outbound_recipients where id = any (array(select unnest(recipients) from own))
    )
    update outbound_messages set ${copyPending}
    where id = any (array(select message_id from own)) and state = 'sending'
    returning id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** `sending` → `copy_pending`: the message is delivered to some. Its other recipients are retried one by one. */
export async function markSentToSome(tx: Tx, { id, organizationId }: QueuedMessage): Promise<void> {
  await sql`
    update outbound_messages set ${copyPending}
    where organization_id = ${organizationId} and id = ${id} and state = 'sending'`.execute(tx)
}

/** Stores the reason, for the list, why the message is not delivered yet. */
export async function noteReason(tx: Tx, { id, organizationId }: QueuedMessage, reason: string): Promise<void> {
  await sql`
    update outbound_messages set last_error = ${reason}
    where organization_id = ${organizationId} and id = ${id} and state = 'sending'`.execute(tx)
}

/** `sending` → `failed`; its recipients → `held`. No effect on a message in another state. */
export async function fail(tx: Tx, id: string, reason: string, now: Now): Promise<void> {
  const { rows } = await sql<{ organizationId: string; mailboxId: string | null }>`
    with failed as (
      update outbound_messages set state = 'failed', last_error = ${reason}, failed_at = ${now}
      where id = ${id} and state = 'sending' returning id, organization_id, mailbox_id
    ), held as (
      update outbound_recipients
      set state = 'held', leased_until = null, lease_epoch = lease_epoch + 1, end_of_data_sent = false
      where message_id in (select id from failed)
    )
    select organization_id as "organizationId", mailbox_id as "mailboxId" from failed`.execute(tx)
  const known = rows.filter(({ mailboxId }) => mailboxId !== null)
  await appendEvents(
    tx,
    known.map((of) => ({ ...of, type: 'scheduled.failed', data: { sent: id, reason } })),
  )
}

/** `failed` → `scheduled`, due now, without earlier attempts. False if there is no such failed message. */
export async function reschedule(
  tx: Tx,
  { caller, id }: { readonly caller: Caller; readonly id: string },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    with back as (
      update outbound_messages set state = 'scheduled', send_at = ${now}, last_error = null, failed_at = null,
        answer_marks = case when answered_at is null then answer_marks end, answered_at = null,
        allowance_due = (select count(*) from outbound_recipients where message_id = ${id})
      where organization_id = ${caller.organizationId} and id = ${id} and state = 'failed'
        and ${caller.mayIn('send', 'mailbox_id')} returning id
    )
    update outbound_recipients
    set route = ${allRoutes}, due_at = ${now}, attempts = 0, cut_short = 0, doubted_at = null, told_at = null,
      reply = null, reason = null, host = null
    where message_id in (select id from back) returning id`.execute(tx)
  return rows.length > 0
}

/** Moves a `scheduled` message to another time. False if there is no such message, or sending has begun. */
export async function moveTo(tx: Tx, caller: Caller, id: string, sendAt: Date, by?: By): Promise<boolean> {
  const { organizationId } = caller
  const moved = await tx
    .updateTable('outbound_messages')
    .set({ send_at: sendAt })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where(caller.mayIn('send', 'mailbox_id'))
    .where('state', '=', 'scheduled')
    .returning('mailbox_id as mailboxId')
    .executeTakeFirst()
  const data = { sent: id, send_at: sendAt.toISOString() }
  if (moved) await appendEvents(tx, [{ organizationId, type: 'scheduled.changed', ...moved, data }], by)
  return moved !== undefined
}

/** `scheduled` → deleted, with its octets. False if there is no such message, or sending has begun. */
export async function cancel(tx: Tx, caller: Caller, id: string, by?: By): Promise<boolean> {
  const { organizationId } = caller
  const gone = await tx
    .deleteFrom('outbound_messages')
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .where(caller.mayIn('send', 'mailbox_id'))
    .where('state', '=', 'scheduled')
    .returning('mailbox_id as mailboxId')
    .executeTakeFirst()
  if (gone) await appendEvents(tx, [{ organizationId, type: 'scheduled.cancelled', ...gone, data: { sent: id } }], by)
  return gone !== undefined
}

/** `failed` → deleted, for messages that failed long ago. */
export async function forgetFailed(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('outbound_messages')
    .where('state', '=', 'failed')
    .where('failed_at', '<=', new Date(now.getTime() - retentionMs))
    .execute()
}
