import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { type OutgoingMessage, outcomeEvents, storeOutcomes } from '#/out/sent/outcomes.ts'
import { mayHaveArrived } from './ambiguous.ts'
import { allRoutes } from './claims.ts'
import { fail } from './lifecycle.ts'
import { lifetime } from './message.ts'
import { forgetSettled } from './recipients.ts'

/** A recipient in the outbound queue, as the operator sees it. */
export interface Waiting {
  /** The message's id, which its recipients share. */
  readonly id: string
  readonly organization: string
  readonly from: string
  readonly to: string
  readonly since: Date
  readonly state: 'waiting' | 'suspect' | 'sending'
  readonly attempts: number
  /** Null while it is being sent. */
  readonly next_attempt_at: Date | null
  readonly gives_up_at: Date
  /** The result of the last attempt; null before the first. */
  readonly reason: string | null
  readonly reply: string | null
  readonly host: string | null
}

/** Which recipients of the queue are meant; what is not given matches all. */
export interface QueueFilter {
  readonly organizationId?: string | undefined
  /** A whole address, or a domain with a leading `@`. Recipients of a concealed message match none. */
  readonly to?: string | undefined
  readonly from?: string | undefined
  readonly state?: Waiting['state'] | undefined
}

function isWanted({ organizationId, to, from, state }: QueueFilter): RawBuilder<SqlBool> {
  const matches = (address: RawBuilder<unknown>, wanted: string) =>
    wanted.startsWith('@')
      ? sql<SqlBool>`lower(${address}) like ${`%${wanted.toLowerCase().replace(/[\\%_]/g, '\\$&')}`}`
      : sql<SqlBool>`lower(${address}) = ${wanted.toLowerCase()}`
  const conditions = [
    sql<SqlBool>`recipient.state <> 'held'`,
    organizationId !== undefined && sql<SqlBool>`recipient.organization_id = ${organizationId}`,
    to !== undefined && sql<SqlBool>`not message.concealed and ${matches(sql`recipient.recipient`, to)}`,
    from !== undefined && matches(sql`message.sender`, from),
    state !== undefined && sql<SqlBool>`recipient.state = ${state}`,
  ]
  return sql<SqlBool>`${sql.join(
    conditions.filter((one) => one !== false),
    sql` and `,
  )}`
}

/** Recipients in the outbound queue, in the order of their next attempts. */
export async function listWaiting(db: Db, wanted: QueueFilter, most: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select message.id, organization.name as organization, message.sender as "from",
      case when message.concealed then '(sealed)' else recipient.recipient end as "to",
      message.queued_at as since, recipient.state, recipient.attempts,
      case when recipient.state <> 'sending' then recipient.due_at end as next_attempt_at,
      message.queued_at + make_interval(secs => ${lifetime / 1_000}) as gives_up_at,
      coalesce(recipient.reason, message.last_error) as reason, recipient.reply, recipient.host
    from outbound_recipients recipient
    join outbound_messages message on message.id = recipient.message_id
    join organizations organization on organization.id = message.organization_id
    where ${isWanted(wanted)}
    order by coalesce(recipient.leased_until, recipient.due_at), recipient.id limit ${most}`.execute(db)
  return rows
}

/** Recipients of one destination in one state. */
export interface Counted {
  /** Where they are delivered: a relay, a domain, `local`; null for scheduled messages, whose destinations differ. */
  readonly destination: string | null
  readonly state: Waiting['state']
  readonly recipients: number
  /** Since when the message waits that waits longest. */
  readonly oldest: Date
}

/** How many wait for each destination, those for which most wait first. */
export async function countWaiting(db: Db, wanted: QueueFilter): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select nullif(recipient.route, ${allRoutes}) as destination, recipient.state, count(*) as recipients,
      min(message.queued_at) as oldest
    from outbound_recipients recipient
    join outbound_messages message on message.id = recipient.message_id
    where ${isWanted(wanted)}
    group by recipient.route, recipient.state order by recipients desc, recipient.route, recipient.state`.execute(db)
  return rows
}

/** Makes all recipients that wait due now. Answers how many. */
export async function retryAll(db: Db, wanted: QueueFilter): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update outbound_recipients set due_at = now() where id in (
      select recipient.id from outbound_recipients recipient
      join outbound_messages message on message.id = recipient.message_id
      where recipient.state in ('waiting', 'suspect') and recipient.due_at > now()
        and message.state not in ('scheduled', 'failed') and ${isWanted(wanted)}
      order by recipient.id for update of recipient skip locked
    )`.execute(db)
  return Number(numAffectedRows)
}

/** Makes the waiting recipients of a message due now. Undefined if no such message is in the queue. */
export async function retryNow(db: Db, messageId: string): Promise<number | undefined> {
  const { rows } = await sql<{ known: boolean; waiting: number }>`
    with message as materialized (
      select id from outbound_messages where id = ${messageId} and state not in ('scheduled', 'failed') for update
    ), retried as (
      update outbound_recipients set due_at = now()
      where message_id in (select id from message) and state in ('waiting', 'suspect') returning id
    )
    select exists (select from message) as known, (select count(*) from retried) as waiting`.execute(db)
  return rows[0]?.known ? rows[0].waiting : undefined
}

/** Removes a message from the queue for its waiting recipients, without a notice. Undefined if there is none. Recipients to
 *  whom it is being sent at this moment stay. A scheduled message that is delivered to nobody becomes `failed`. */
export async function dropWaiting(tx: Tx, messageId: string): Promise<{ dropped: string[] } | undefined> {
  const message = await sql<OutgoingMessage & { together: boolean }>`
    select id, organization_id as "organizationId", mailbox_id as "mailboxId", kind, sender, concealed,
      queued_at as "queuedAt", state = 'sending' as together
    from outbound_messages
    where id = ${messageId} and state not in ('scheduled', 'failed') for update`.execute(tx)
  const [found] = message.rows
  if (!found) return undefined
  const waiting = sql`message_id = ${messageId} and state in ('waiting', 'suspect')`
  const { rows } = found.together
    ? await sql<Dropped>`select recipient, doubted_at as at from outbound_recipients where ${waiting}`.execute(tx)
    : await sql<Dropped>`
        delete from outbound_recipients where ${waiting} returning recipient, doubted_at as at`.execute(tx)
  if (found.together && rows.length > 0) {
    const warning = mayHaveArrived(rows.flatMap(({ recipient, at }) => (at === null ? [] : { recipient, at })))
    await fail(tx, messageId, [takenOut, ...(warning === undefined ? [] : [warning])].join('. '), sql<Date>`now()`)
  }
  if (!found.together) await storeOutcomes(tx, outcomeEvents(found, 'bounced', rows.map(droppedOutcome)))
  await forgetSettled(tx, [messageId])
  return { dropped: rows.map(({ recipient }) => recipient) }
}

interface Dropped {
  readonly recipient: string
  readonly at: Date | null
}

const takenOut = 'Removed from the queue by the operator'

function droppedOutcome({ recipient, at }: Dropped): Outcome {
  const nothingSaid = { reply: null, host: null, ambiguous: at !== null }
  return { ...nothingSaid, recipient, result: 'refused', status: '5.0.0', reason: takenOut }
}

/** Messages deleted by one statement. */
const mostDiscarded = 1_000

/** Deletes some of an organization's messages in any state, without events and notices. Answers how many; 0 once none are left. */
export async function discard(db: Db, organizationId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from outbound_messages where id in (
      select id from outbound_messages where organization_id = ${organizationId} limit ${mostDiscarded}
    )`.execute(db)
  return Number(numAffectedRows)
}
