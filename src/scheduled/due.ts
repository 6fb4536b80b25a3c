import { sql } from 'kysely'
import { pieceBytes } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { isNotSuspended } from '#/organizations/queries.ts'
import { mostAttempts } from './scheduled.ts'

/** A message whose attempt is begun: nobody else has it before the lease ends, and then this claim is void. */
export interface Claim {
  readonly id: string
  readonly organizationId: string
  readonly epoch: number
  /** With the one that is begun. */
  readonly attempts: number
  /** How many of them ended with their worker: with any, nobody knows what the next does. */
  readonly cutShort: number
  /** Null once it is gone. */
  readonly mailboxId: string | null
  readonly sender: string
  readonly recipients: readonly string[]
  readonly sizeBytes: number
  readonly sendAt: Date
}

/** What `claimDue` took. */
export interface Claimed {
  readonly claims: readonly Claim[]
  /** Something is due, but another worker is just taking all of what this one saw. */
  readonly contended: boolean
}

/** What to take of all that is due. */
export interface Wanted {
  /** Those alone that somebody has begun and then let go. */
  readonly begunOnly: boolean
  /** One that a worker has ended over, or, where not, those that none has. */
  readonly suspect: boolean
}

/** How long a claim holds, in milliseconds: well over what handing over as many messages as one claim takes needs. */
const leaseMs = 20_000

/** A claim takes up to so many messages, of so many octets together unless it is one. */
export const mostClaimed = 100
const mostOctets = 4 * pieceBytes

/**
 * Takes messages that are due and counts the attempt, in one statement: one that ends this process has been one.
 * Organizations take turns, so that ten thousand messages of one hold up nobody else; they are answered in that order; what a suspended
 * one has waits.
 * An attempt that ended with its worker is counted apart, since it may have been another message that ended it; and such
 * messages are taken one at a time, so that one that ends workers takes no other of them with it.
 */
export async function claimDue(db: Db, now: Date, { begunOnly, suspect }: Wanted): Promise<Claimed> {
  const wanted = sql.join(
    [
      sql`due_at <= ${now} and not queued`,
      suspect
        ? sql`(claimed_until <= ${now} or (claimed_until is null and cut_short > 0))`
        : sql`claimed_until is null and cut_short = 0`,
      ...(begunOnly ? [sql`status = 'sending'`] : []),
    ],
    sql` and `,
  )
  const most = suspect ? 1 : mostClaimed
  const { rows } = await sql<Claim | { readonly id: null }>`
    with recursive waiting (organization_id) as (
      (select organization_id from scheduled_messages where due_at is not null order by organization_id limit 1)
      union all
      select (select organization_id from scheduled_messages
        where due_at is not null and organization_id > waiting.organization_id order by organization_id limit 1)
      from waiting where waiting.organization_id is not null
    ), due as materialized (
      select one.*, sum(size_bytes) over (order by turn, due_at, id) - size_bytes as before
      from waiting cross join lateral (
        select id, due_at, size_bytes, row_number() over (order by due_at, id) as turn from scheduled_messages
        where organization_id = waiting.organization_id and ${wanted}
        order by due_at, id limit ${most}
      ) one
      where ${isNotSuspended(sql.ref('waiting.organization_id'))}
      order by turn, due_at, id limit ${most}
    ), free as materialized (
      select id from scheduled_messages
      where id in (select id from due where before < ${mostOctets}) and ${wanted}
      order by id for update skip locked
    ), taken as (
      update scheduled_messages
      set status = 'sending', epoch = epoch + 1, attempts = attempts + 1,
        cut_short = cut_short + (claimed_until is not null)::integer,
        claimed_until = ${new Date(now.getTime() + leaseMs)}
      where id in (select id from free)
      returning id, organization_id as "organizationId", epoch, attempts, cut_short as "cutShort",
        mailbox_id as "mailboxId", sender, recipients, size_bytes as "sizeBytes", send_at as "sendAt"
    )
    select taken.* from due left join taken on taken.id = due.id order by due.turn, due.due_at, due.id`.execute(db)
  const claims = rows.filter((row) => row.id !== null)
  return { claims, contended: rows.length > 0 && claims.length === 0 }
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
    set last_error = ${reason}, claimed_until = null,
      status = case when ${spent} then 'failed' else 'sending' end,
      due_at = case when not ${spent} then ${dueAt}::timestamptz end,
      failed_at = case when ${spent} then ${now}::timestamptz end
    where organization_id = ${organizationId} and id = ${id} and epoch = ${epoch} and status = 'sending'
      and not queued`.execute(db)
}

/** Why nobody has the message yet that is in the outbound queue, and waits there. */
export async function noteReason(tx: Tx, id: string, reason: string): Promise<void> {
  await sql`
    update scheduled_messages set last_error = ${reason}, due_at = null
    where id = ${id} and queued and status = 'sending'`.execute(tx)
}

/** Nobody gets the message that is in the outbound queue, which is to let go of it. */
export async function failDeparted(tx: Tx, id: string, reason: string, now: Date): Promise<void> {
  await sql`
    update scheduled_messages
    set status = 'failed', last_error = ${reason}, failed_at = ${now}, queued = false, due_at = null
    where id = ${id} and queued and status = 'sending'`.execute(tx)
}

/** What `update scheduled_messages set` makes of one that somebody has: it has left the list, and its copy for Sent is
 *  owed. */
export const hasGone = sql`status = 'sent', due_at = null, copy_due_at = least(due_at, send_at), last_error = null`

/** Somebody has the message that is in the outbound queue. */
export async function oweCopy(tx: Tx, id: string): Promise<void> {
  await sql`update scheduled_messages set ${hasGone} where id = ${id} and queued`.execute(tx)
}

/** A message that somebody has, and whose copy for Sent is owed. */
export interface Owed {
  readonly id: string
  readonly organizationId: string
  /** Null once it is gone. */
  readonly mailboxId: string | null
  /** Whom it went to in secret; sealed, unless it was scheduled before such fields were. */
  readonly fields: Buffer | null
  readonly bcc: readonly string[] | null
}

/** Takes messages whose copies are owed and due, those that have waited longest first, as many at a time as a claim
 *  takes; they are due again at `dueAt`, whatever becomes of them. */
export async function takeOwed(db: Db, now: Date, dueAt: Date): Promise<Owed[]> {
  const { rows } = await sql<Owed>`
    with free as materialized (
      select id, copy_due_at, size_bytes from scheduled_messages where copy_due_at <= ${now}
      order by copy_due_at limit ${mostClaimed} for update skip locked
    ), wanted as (
      select id, sum(size_bytes) over (order by copy_due_at, id) - size_bytes as before from free
    )
    update scheduled_messages set copy_due_at = ${dueAt}
    where id in (select id from wanted where before < ${mostOctets})
    returning id, organization_id as "organizationId", mailbox_id as "mailboxId", fields, bcc`.execute(db)
  return rows
}

/** Nothing is kept any more of messages that were sent, and whose copies are in Sent. Answers how many were there. */
export async function forgetSent(tx: Tx, ids: readonly string[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from scheduled_messages where id = any (${ids}::uuid[]) and status = 'sent'`.execute(tx)
  return Number(numAffectedRows)
}
