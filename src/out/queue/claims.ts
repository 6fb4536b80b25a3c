import { type RawBuilder, sql } from 'kysely'
import { type Lease, Leases } from '#/base/db/leases.ts'
import type { Db } from '#/base/db/schema.ts'
import { pieceBytes } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { isNotSuspended } from '#/people/organizations/queries.ts'
import { type MessageRow, messageColumns, openedMessage, type QueuedMessage } from './message.ts'

/** Recipients of one message and route, claimed by a worker for one attempt. The claim counts the attempt. */
export interface Batch {
  readonly messageId: string
  readonly organizationId: string
  readonly route: string
  /** This one included. */
  readonly attempts: number
  /** How many of them were cut short: their worker died. */
  readonly cutShort: number
  /** The last attempt was cut short. */
  readonly suspect: boolean
  readonly recipients: readonly Claimed[]
}

/** The lease on a recipient's row. */
export interface Claimed extends Lease<number> {
  readonly recipient: string
  /** Since when delivery is ambiguous: the end of data of an attempt was sent, and no reply came. Else null. */
  readonly ambiguousAt: Date | null
}

/** The route of the recipients of a message that is delivered to none. One attempt goes by all their routes at once, and
 *  one decision follows for all of them. */
export const allRoutes = ''

/** A message that is delivered to none fails after so many finished attempts, or so many that were cut short. */
export const mostAttempts = 3

/** Another worker continues the work of a dead one within half a minute: the lease, and the time until the next look. */
export const leases = new Leases('outbound_recipients', 20_000)

/** How often to look for leases that have ended, in milliseconds. */
export const reclaimEveryMs = 2_500

/** Every server accepts so many recipients in one transaction (RFC 5321, section 4.5.3.1.8). */
const mostInBatch = 100

/** One claim takes up to so many scheduled messages. Together they have up to so many octets, unless there is only one. */
export const mostScheduled = 100
const mostOctets = 4 * pieceBytes

/**
 * Claims up to `most` batches that are `waiting` and due, without those of `busy` routes. The claim counts the attempt, so
 * that one that ends this process is counted too. Organizations are served in turn: ten thousand messages of one delay no
 * other. Within an organization the longest due comes first. Messages of suspended organizations wait. Messages that another
 * worker is claiming at the moment are skipped.
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

/** Claims one batch that is `suspect` and due: a worker died while it had it. Suspects are sent one after the other, so that
 *  a poison message affects no other of them. */
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

/** The CTE `waiting`: organizations that have such rows. Each is found in the index, behind the one before it. */
function organizationsWith(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`waiting (organization_id) as (
    (select organization_id from ${rows} order by organization_id limit 1)
    union all
    select (select organization_id from ${rows} and organization_id > waiting.organization_id
      order by organization_id limit 1)
    from waiting where waiting.organization_id is not null
  )`
}

/** Locks messages first, so that a batch is claimed as a whole or not at all. */
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

/** What a claim changes in a recipient's row, and returns. */
const begun = {
  set: sql`state = 'sending', attempts = attempts + 1, end_of_data_sent = false`,
  returning: sql`recipient, doubted_at as "ambiguousAt", message_id as "messageId",
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
      recipients: claimed.map(({ id, recipient, epoch, ambiguousAt }) => ({ id, recipient, epoch, ambiguousAt })),
    }
  })
}

/** The result of `claimScheduled`. */
export interface ClaimedScheduled {
  readonly claims: readonly { readonly message: QueuedMessage; readonly batch: Batch }[]
  /** Messages are due, but another worker is claiming all that this one saw. */
  readonly contended: boolean
}

/**
 * Begins to send messages that are `scheduled` and due: one transaction makes them `sending` and claims all their recipients.
 * Organizations are served in turn as in `claimWaiting`; the result has that order. The first organization is chosen at random.
 * By age, one with large messages would be first each time, and the claim would have no room for others. Of the indexes
 * only the one that is read here grows with messages that are scheduled for later.
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

/** Records that ends of data are about to be sent, in an attempt again if the first was answered by a refusal. From then on delivery is unknown until the peer replies. Answers for each
 *  of the parties whether it still has its leases. Without them the end of data must not be sent. */
export async function markEndOfData(db: Db, parties: readonly (readonly Claimed[])[]): Promise<boolean[]> {
  const { rows } = await sql<Lease<number>>`
    update outbound_recipients set end_of_data_sent = true
    where ${leases.held(parties.flat())} returning id, lease_epoch as epoch`.execute(db)
  // By epoch too: this process may have lost a lease and claimed the same recipient again.
  const marked = new Map(rows.map(({ id, epoch }) => [id, epoch]))
  return parties.map((party) => party.every(({ id, epoch }) => marked.get(id) === epoch))
}

/**
 * Makes recipients whose lease has ended `suspect`. Their attempts were cut short, which is counted apart: another message may
 * have ended the worker. After the first time they are due at once, after later ones five minutes later each time. A message
 * that is delivered to none fails after the third.
 */
export async function reclaimExpired(db: Db, now: Date): Promise<void> {
  await leases.reclaimExpired(
    db,
    now,
    sql`state = 'suspect', cut_short = cut_short + 1, end_of_data_sent = false,
      doubted_at = case when end_of_data_sent then coalesce(doubted_at, ${now}) else doubted_at end,
      due_at = ${now}::timestamptz + interval '5 minutes'
        * case when route = ${allRoutes} and cut_short + 1 >= ${mostAttempts} then 0 else cut_short end,
      reason = case when end_of_data_sent then 'The connection was lost before the message was acknowledged'
        else reason end`,
  )
}
