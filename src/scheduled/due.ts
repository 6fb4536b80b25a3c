import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { mostAttempts } from './scheduled.ts'

/** The right to send a message that is due: nobody else has it before the lease ends, and then this one is void. */
export interface Claim {
  readonly id: string
  readonly organizationId: string
  readonly epoch: number
  /** How many attempts ended with their worker: with any, nobody knows what the next does. */
  readonly cutShort: number
  readonly sizeBytes: number
}

/** How long a claim holds, in milliseconds: well over what handing over as many messages as one claim takes needs. */
const leaseMs = 20_000

/** A message may be taken for the outbound queue: it waits, or whoever was about it is gone. */
const takeable = sql`outbound_id is null and status in ('pending', 'sending')`

/**
 * Takes up to `most` messages that are due, in one statement. Organizations take turns, so that ten thousand messages of
 * one hold up nobody else; they are answered in that order. With `begunOnly` those alone that somebody has begun and then
 * let go. An attempt that ended with its worker is counted apart: it may have been another message that ended it.
 */
export async function claimDue(
  db: Db,
  now: Date,
  { most, begunOnly }: { most: number; begunOnly: boolean },
): Promise<Claim[]> {
  const wanted = begunOnly ? sql`${takeable} and status = 'sending'` : takeable
  const { rows } = await sql<Claim>`
    with recursive waiting (organization_id) as (
      (select organization_id from scheduled_messages where ${takeable} order by organization_id limit 1)
      union all
      select (select organization_id from scheduled_messages
        where ${takeable} and organization_id > waiting.organization_id order by organization_id limit 1)
      from waiting where waiting.organization_id is not null
    ), due as materialized (
      select one.id, one.turn, one.due_at from waiting cross join lateral (
        select id, due_at, row_number() over (order by due_at, id) as turn from scheduled_messages
        where organization_id = waiting.organization_id and ${wanted} and due_at <= ${now}
        order by due_at, id limit ${most}
      ) one order by one.turn, one.due_at limit ${most}
    ), free as materialized (
      select id from scheduled_messages
      where id in (select id from due) and ${wanted} and due_at <= ${now} order by id for update skip locked
    ), taken as (
      update scheduled_messages
      set status = 'sending', epoch = epoch + 1, due_at = ${new Date(now.getTime() + leaseMs)}, in_hand = false,
        cut_short = cut_short + in_hand::integer
      where id in (select id from free)
      returning id, organization_id as "organizationId", epoch, cut_short as "cutShort", size_bytes as "sizeBytes"
    )
    select taken.* from taken join due on due.id = taken.id order by due.turn, due.due_at`.execute(db)
  return rows
}

/** What is claimed, for whoever sends it. */
export interface Begun extends Claim {
  readonly attempts: number
  /** Null once it is gone. */
  readonly mailboxId: string | null
  readonly sender: string
  readonly bcc: readonly string[]
  readonly recipients: readonly string[]
  readonly subject: string
  readonly messageId: string
}

/** Claims that still hold, in a statement about `scheduled_messages message` joined with them, as `claim`. */
const claimed = sql`
  message.organization_id = claim."organizationId" and message.id = claim.id and message.epoch = claim.epoch
  and message.status = 'sending' and message.outbound_id is null`

/** Counts the attempts, in a transaction of its own: one that ends this process has been one. Those whose claim is lost
 *  are not answered. */
export async function begin(db: Db, claims: readonly Claim[], now: Date): Promise<Begun[]> {
  const { rows } = await sql<Begun>`
    update scheduled_messages message
    set attempts = attempts + 1, in_hand = true, due_at = ${new Date(now.getTime() + leaseMs)}
    from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as claim ("organizationId" uuid, id uuid, epoch integer)
    where ${claimed}
    returning message.id, organization_id as "organizationId", message.epoch, cut_short as "cutShort", attempts,
      mailbox_id as "mailboxId", sender, bcc, recipients, subject, message_id as "messageId",
      size_bytes as "sizeBytes"`.execute(db)
  const turn = new Map(claims.map(({ id }, at) => [id, at]))
  return rows.sort((one, other) => (turn.get(one.id) ?? 0) - (turn.get(other.id) ?? 0))
}

/** The messages go on in the outbound queue. Answers how many: a claim that is lost takes none there. */
export async function handedOver(
  tx: Tx,
  given: readonly { readonly claim: Claim; readonly outboundId: string }[],
): Promise<number> {
  const claims = given.map(({ claim: { organizationId, id, epoch }, outboundId }) => ({
    ...{ organizationId, id, epoch, outboundId },
  }))
  const { numAffectedRows = 0n } = await sql`
    update scheduled_messages message set outbound_id = claim."outboundId", in_hand = false
    from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
      as claim ("organizationId" uuid, id uuid, epoch integer, "outboundId" uuid)
    where ${claimed}`.execute(tx)
  return Number(numAffectedRows)
}

const spent = sql`(attempts - cut_short >= ${mostAttempts} or cut_short >= ${mostAttempts})`

/** An attempt came to nothing before the outbound queue: the next is at `dueAt`, unless it was the last. */
export async function putOff(
  db: Db,
  { organizationId, id, epoch }: Claim,
  { reason, now, dueAt }: { reason: string; now: Date; dueAt: Date },
): Promise<void> {
  await sql`
    update scheduled_messages
    set last_error = ${reason}, due_at = ${dueAt}::timestamptz, in_hand = false,
      status = case when ${spent} then 'failed' else 'sending' end,
      failed_at = case when ${spent} then ${now}::timestamptz end
    where organization_id = ${organizationId} and id = ${id} and epoch = ${epoch} and status = 'sending'
      and outbound_id is null`.execute(db)
}

/** A message that is in the outbound queue. */
export interface Departed {
  readonly id: string
  readonly mailboxId: string | null
  readonly bcc: readonly string[]
}

export async function departed(db: Db, organizationId: string, outboundId: string): Promise<Departed | undefined> {
  const { rows } = await sql<Departed>`
    select id, mailbox_id as "mailboxId", bcc from scheduled_messages
    where organization_id = ${organizationId} and outbound_id = ${outboundId}`.execute(db)
  return rows[0]
}

/** Why nobody has the message yet that is in the outbound queue. */
export async function noteReason(tx: Tx, outboundId: string, reason: string): Promise<void> {
  await tx
    .updateTable('scheduled_messages')
    .set({ last_error: reason })
    .where('outbound_id', '=', outboundId)
    .where('status', '=', 'sending')
    .execute()
}

/** Nobody gets the message that is in the outbound queue, which is to let go of it. */
export async function failDeparted(tx: Tx, outboundId: string, reason: string, now: Date): Promise<void> {
  await tx
    .updateTable('scheduled_messages')
    .set({ status: 'failed', last_error: reason, failed_at: now, outbound_id: null })
    .where('outbound_id', '=', outboundId)
    .where('status', '=', 'sending')
    .execute()
}

/** Somebody has it and its copy is in Sent: it has left the list, with all that was kept of it. False where it had. */
export async function forgetDeparted(tx: Tx, outboundId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('scheduled_messages')
    .where('outbound_id', '=', outboundId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Somebody has it, but its copy is still to be stored, which is tried at `dueAt`. */
export async function oweCopy(tx: Tx, outboundId: string, dueAt: Date): Promise<void> {
  await tx
    .updateTable('scheduled_messages')
    .set({ status: 'sent', due_at: dueAt, last_error: null })
    .where('outbound_id', '=', outboundId)
    .execute()
}

/** Takes a message whose copy in Sent is owed and due; it is due again at `dueAt`, whatever becomes of it. */
export async function takeOwedCopy(
  db: Db,
  now: Date,
  dueAt: Date,
): Promise<(Departed & { readonly organizationId: string; readonly outboundId: string }) | undefined> {
  const { rows } = await sql<Departed & { organizationId: string; outboundId: string }>`
    update scheduled_messages set due_at = ${dueAt}
    where id = (
      select id from scheduled_messages where status = 'sent' and due_at <= ${now}
      order by due_at limit 1 for update skip locked
    )
    returning id, mailbox_id as "mailboxId", bcc, organization_id as "organizationId", outbound_id as "outboundId"`.execute(
    db,
  )
  return rows[0]
}
