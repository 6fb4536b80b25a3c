import { type RawBuilder, sql } from 'kysely'
import { type Lease, Leases } from '#/db/leases.ts'
import type { Db } from '#/db/schema.ts'
import { pieceBytes } from '#/event-loop/pieces.ts'
import { isNotSuspended } from '#/organizations/queries.ts'
import type { SealingKey } from '#/secrets/seal.ts'
import { type MessageRow, messageColumns, openedMessage, type QueuedMessage } from './message.ts'

/** Another worker has claimed the recipients: it took this one for dead. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease was lost: another worker has claimed this message')
  }
}

/** Recipients of one message that travel together, claimed by a worker for an attempt that is counted. */
export interface Batch {
  readonly messageId: string
  readonly organizationId: string
  readonly route: string
  /** With the one that is begun. */
  readonly attempts: number
  /** How many of them ended with their worker. */
  readonly cutShort: number
  /** The last one did. */
  readonly suspect: boolean
  readonly recipients: readonly Claimed[]
}

/** The lease on a recipient's row. */
export interface Claimed extends Lease<number> {
  readonly recipient: string
  /** Since when nobody knows whether this one has the message: the end of data of an attempt was sent, and not answered.
   *  Null where there is no such doubt. */
  readonly doubtedAt: Date | null
}

/** The route of recipients whose message nobody has yet: by whatever routes they are reached, it is tried for all of
 *  them at once, and what came of it is decided for all of them together. */
export const together = ''

/** After so many attempts that ended, or that were cut short, nobody tries any more to send what nobody has. */
export const mostAttempts = 3

/** A worker that dies is followed by another within half a minute: once the lease is over, and somebody has looked. */
export const leases = new Leases('outbound_recipients', 20_000)

/** How often to look for claims of workers that are gone, in milliseconds. */
export const lookMs = 2_500

/** As many recipients as go in one transaction (RFC 5321, section 4.5.3.1.8 asks every server to take that many). */
const mostInBatch = 100

/** Scheduled messages are claimed up to so many at a time, of so many octets together unless it is one. */
export const mostScheduled = 100
const mostOctets = 4 * pieceBytes

/**
 * Claims up to `most` batches that are `waiting` and due, but for the routes that are `busy`, and counts the attempt: one
 * that ends this process has been one. Organizations take turns, so that ten thousand messages of one hold up nobody else;
 * within one the longest due comes first. What a suspended one has waits. A message that another worker is just claiming
 * something of is passed over.
 */
export async function claimWaiting(db: Db, now: Date, busy: readonly string[], most: number): Promise<Batch[]> {
  const due = sql`
    with recursive ${organizationsWith(sql`outbound_recipients where state = 'waiting'`)}, due as materialized (
      select batch.message_id, batch.route
      from waiting cross join lateral (
        select message_id, route, due_at, row_number() over (order by due_at, first) as turn
        from (
          select message_id, route, min(due_at) as due_at, min(id) as first
          from (
            select message_id, route, due_at, id from outbound_recipients
            where organization_id = waiting.organization_id and state = 'waiting' and due_at <= ${now}
              and route <> all (${busy}::text[])
            order by due_at, id limit ${most * mostInBatch}
          ) recipient group by message_id, route
        ) batch order by due_at, first limit ${most}
      ) batch
      where ${isNotSuspended(sql.ref('waiting.organization_id'))}
      order by batch.turn, batch.due_at limit ${most}
    )`
  return await claimDue(db, now, due, 'waiting')
}

/** Claims one batch that is `suspect` and due: a worker has ended over it. They go one after the other, so that a poison
 *  message takes no other of them with it. */
export async function claimSuspect(db: Db, now: Date, busy: readonly string[]): Promise<Batch | undefined> {
  const due = sql`
    with due as materialized (
      select message_id, route from outbound_recipients
      where state = 'suspect' and due_at <= ${now} and route <> all (${busy}::text[])
        and ${isNotSuspended(sql.ref('outbound_recipients.organization_id'))}
      order by due_at, id limit 1
    )`
  const [batch] = await claimDue(db, now, due, 'suspect')
  return batch
}

/** `waiting`: the organizations that have such rows, each found in the index after the one before it. */
function organizationsWith(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`waiting (organization_id) as (
    (select organization_id from ${rows} order by organization_id limit 1)
    union all
    select (select organization_id from ${rows} and organization_id > waiting.organization_id
      order by organization_id limit 1)
    from waiting where waiting.organization_id is not null
  )`
}

/** The lock on the message has a batch claimed as a whole, or not at all. */
async function claimDue(db: Db, now: Date, due: RawBuilder<unknown>, state: 'waiting' | 'suspect'): Promise<Batch[]> {
  const isDue = sql`state = ${state} and due_at <= ${now}`
  const chosen = sql`
    ${due}, message as materialized (
      select id from outbound_messages where id in (select message_id from due) order by id for update skip locked
    )
    select one.id from due join message on message.id = due.message_id cross join lateral (
      select id from outbound_recipients
      where message_id = due.message_id and route = due.route and ${isDue} order by id limit ${mostInBatch}
    ) one`
  return batches(await leases.claim<Row>(db, now, { chosen, due: isDue, ...begun }), state === 'suspect')
}

/** What a claim makes of a recipient, and answers. */
const begun = {
  set: sql`state = 'sending', attempts = attempts + 1, end_of_data_sent = false`,
  returning: sql`recipient, doubted_at as "doubtedAt", message_id as "messageId",
    organization_id as "organizationId", route, attempts, cut_short as "cutShort"`,
}

type Row = Claimed & Omit<Batch, 'recipients' | 'suspect'>

function batches(rows: readonly Row[], suspect: boolean): Batch[] {
  const groups = Map.groupBy(rows, ({ messageId, route }) => `${messageId} ${route}`)
  return Array.from(groups.values(), (claimed) => {
    const [first] = claimed.sort((one, other) => one.id - other.id) as [Row, ...Row[]]
    const { messageId, organizationId, route } = first
    return {
      ...{ messageId, organizationId, route, suspect },
      attempts: Math.max(...claimed.map(({ attempts }) => attempts)),
      cutShort: Math.max(...claimed.map(({ cutShort }) => cutShort)),
      recipients: claimed.map(({ id, recipient, epoch, doubtedAt }) => ({ id, recipient, epoch, doubtedAt })),
    }
  })
}

/** What `claimScheduled` claimed. */
export interface ClaimedScheduled {
  readonly claims: readonly { readonly message: QueuedMessage; readonly batch: Batch }[]
  /** Something is due, but another worker is just claiming all of what this one saw. */
  readonly contended: boolean
}

/**
 * Begins to send messages that are `scheduled` and due: they are `sending`, and all their recipients are claimed, in one
 * transaction. Organizations take turns as in `claimWaiting`, and the messages are answered in that order. Who is first in
 * a turn is drawn by lot: the one whose message has been due for longest would be first each time while it has large ones,
 * and nobody else would be claimed with those. The index that is read here is the only one that grows with what is
 * scheduled for later.
 */
export async function claimScheduled(db: Db, key: SealingKey, now: Date): Promise<ClaimedScheduled> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<MessageRow | { readonly id: null }>`
      with recursive ${organizationsWith(sql`outbound_messages where state = 'scheduled'`)}, due as materialized (
        select one.*, sum(octets) over (order by turn, lot, due_id) - octets as before
        from waiting cross join lateral (
          select id as due_id, size_bytes as octets, row_number() over (order by send_at, id) as turn, random() as lot
          from outbound_messages
          where organization_id = waiting.organization_id and state = 'scheduled' and send_at <= ${now}
          order by send_at, id limit ${mostScheduled}
        ) one
        where ${isNotSuspended(sql.ref('waiting.organization_id'))}
        order by turn, lot, due_id limit ${mostScheduled}
      ), free as materialized (
        select id from outbound_messages
        where id in (select due_id from due where before < ${mostOctets}) and state = 'scheduled' and send_at <= ${now}
        order by id for update skip locked
      ), begun as (
        update outbound_messages set state = 'sending' where id in (select id from free) returning ${messageColumns}
      )
      select begun.* from due left join begun on begun.id = due_id order by turn, lot, due_id`.execute(tx)
    const messages = rows.filter((row) => row.id !== null)
    if (messages.length === 0) return { claims: [], contended: rows.length > 0 }
    const ids = messages.map(({ id }) => id)
    const chosen = sql`select id from outbound_recipients where message_id = any (${ids}::uuid[])`
    const claimed = batches(await leases.claim<Row>(tx, now, { chosen, due: sql`state = 'held'`, ...begun }), false)
    const byMessage = new Map(claimed.map((batch) => [batch.messageId, batch]))
    const claims = messages.flatMap((row) => {
      const batch = byMessage.get(row.id)
      return batch ? { message: openedMessage(key, row), batch } : []
    })
    return { claims, contended: false }
  })
}

/** Notes, before ends of data are sent, that they are: from then on nobody can tell that the peer has not got the message.
 *  Answers for each of the parties whether its lease holds; where it is lost the end of data must not be sent. */
export async function markEndOfData(db: Db, parties: readonly (readonly Claimed[])[]): Promise<boolean[]> {
  const { rows } = await sql<Lease<number>>`
    update outbound_recipients set end_of_data_sent = true
    where ${leases.held(parties.flat())} and not end_of_data_sent returning id, lease_epoch as epoch`.execute(db)
  // With the epoch: this process may have lost a lease, and claimed the same recipient again.
  const marked = new Map(rows.map(({ id, epoch }) => [id, epoch]))
  return parties.map((party) => party.every(({ id, epoch }) => marked.get(id) === epoch))
}

/**
 * Takes back what workers that are gone had claimed: it is `suspect`. Its attempt was cut short, which is counted apart: it
 * may have been another message that ended the worker. The first time it is due at once, later it waits five minutes longer
 * each time; what nobody has yet is given up after the third.
 */
export async function takeBack(db: Db, now: Date): Promise<void> {
  await leases.takeBack(
    db,
    now,
    sql`state = 'suspect', cut_short = cut_short + 1, end_of_data_sent = false,
      doubted_at = case when end_of_data_sent then coalesce(doubted_at, ${now}) else doubted_at end,
      due_at = ${now}::timestamptz + interval '5 minutes'
        * case when route = ${together} and cut_short + 1 >= ${mostAttempts} then 0 else cut_short end,
      reason = case when end_of_data_sent then 'The connection was lost before the message was acknowledged'
        else reason end`,
  )
}
