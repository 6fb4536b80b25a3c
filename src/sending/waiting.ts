import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { mayHaveArrived } from './doubt.ts'

/** A recipient who has not got a message yet, for the operator. */
export interface Waiting {
  /** Of the message; its recipients share it. */
  readonly id: string
  readonly organization: string
  readonly from: string
  readonly to: string
  readonly since: Date
  readonly state: 'waiting' | 'sending'
  readonly attempts: number
  /** Null while it is being sent. */
  readonly next_attempt_at: Date | null
  readonly gives_up_at: Date
  /** What the last attempt came to; null before the first. */
  readonly reason: string | null
  readonly reply: string | null
  readonly host: string | null
}

/** Whoever waits in the outbound queue, the next to be tried first. */
export async function waitingOnes(db: Db, most: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select message.id, organization.name as organization, message.sender as "from",
      case when message.concealed then '(sealed)' else recipient.recipient end as "to",
      message.created_at as since, recipient.state, recipient.attempts,
      case recipient.state when 'waiting' then recipient.due_at end as next_attempt_at,
      message.expires_at as gives_up_at, recipient.reason, recipient.reply, recipient.host
    from outbound_recipients recipient
    join outbound_messages message on message.id = recipient.message_id
    join organizations organization on organization.id = message.organization_id
    order by recipient.due_at, recipient.id limit ${most}`.execute(db)
  return rows
}

export async function countWaiting(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('outbound_recipients')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Has whoever waits for this message tried at once. Undefined where there is no such message in the queue. */
export async function retryNow(db: Db, messageId: string): Promise<number | undefined> {
  const { rows } = await sql<{ known: boolean; waiting: number }>`
    with retried as (
      update outbound_recipients set due_at = now() where message_id = ${messageId} and state = 'waiting' returning id
    )
    select exists (select from outbound_messages where id = ${messageId}) as known,
      (select count(*) from retried) as waiting`.execute(db)
  return rows[0]?.known ? rows[0].waiting : undefined
}

/** Takes a message out of the queue for whoever waits for it, and tells nobody. Undefined where there is none; those to
 *  whom it is being sent at this moment keep it. */
export async function dropWaiting(tx: Tx, messageId: string): Promise<{ dropped: string[] } | undefined> {
  const message = await sql`select from outbound_messages where id = ${messageId} for update`.execute(tx)
  if (message.rows.length === 0) return undefined
  const { rows } = await sql<{ recipient: string; at: Date | null }>`
    delete from outbound_recipients where message_id = ${messageId} and state = 'waiting'
    returning recipient, doubted_at as at`.execute(tx)
  const doubt = mayHaveArrived(rows.flatMap(({ recipient, at }) => (at === null ? [] : { recipient, at })))
  const reason = ['Taken out of the queue', ...(doubt === undefined ? [] : [doubt])].join('. ')
  await sql`
    update scheduled_messages set status = 'failed', last_error = ${reason}, failed_at = now(),
      queued = false, due_at = null
    where id = ${messageId} and queued and status = 'sending'
      and not exists (select from outbound_recipients where message_id = ${messageId})`.execute(tx)
  await forgetEmpty(tx, [messageId])
  return { dropped: rows.map(({ recipient }) => recipient) }
}

/** Removes messages that nobody waits for any more, and whose copies for Sent are not owed. */
export async function forgetEmpty(tx: Tx, messageIds: readonly string[]): Promise<void> {
  await sql`
    delete from outbound_messages message where id = any (${messageIds}::uuid[])
      and not exists (select from outbound_recipients where message_id = message.id)
      and not exists (select from scheduled_messages where id = message.id and queued)`.execute(tx)
}
