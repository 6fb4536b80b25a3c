import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { isNotSuspended } from '#/organizations/queries.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'

/** The claim went to another worker, which took this one for dead. */
export class Overtaken extends Error {
  constructor() {
    super('Another worker has taken this message')
  }
}

/** Recipients of one message that travel together, taken by a worker for an attempt that is counted. */
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
  /** By recipient row. */
  readonly recipients: readonly Claimed[]
}

export interface Claimed {
  readonly id: number
  readonly recipient: string
  readonly epoch: number
  /** Since when nobody knows whether this one has the message: the dot of an attempt was sent, and not answered. Null
   *  where there is no such doubt. */
  readonly doubtedAt: Date | null
}

/** The route of recipients whose message nobody has yet: by whatever routes they are reached, it is tried for all of
 *  them at once, and what came of it is decided for all of them together. */
export const together = ''

/** How long a claim holds unless it is renewed, in milliseconds. A worker that dies is followed by another within half a
 *  minute: once the lease is over, and somebody has looked. */
export const leaseMs = 20_000

/** How often to look for claims of workers that are gone, in milliseconds. */
export const lookMs = 2_500

/** As many recipients as go in one transaction (RFC 5321, section 4.5.3.1.8 asks every server to take that many). */
const mostTogether = 100

/**
 * Takes up to `most` batches that are due, but for the routes that are `busy`, in one statement, and counts the attempt:
 * one that ends this process has been one. Organizations take turns, so that ten thousand messages of one hold up nobody
 * else; within one the longest due comes first. What a suspended one has waits. A message that another worker is just taking something of is passed
 * over, and so is one that a worker has just ended over (`claimSuspect`).
 */
export async function claim(db: Db, now: Date, busy: readonly string[], most: number): Promise<Batch[]> {
  const due = sql`
    with recursive waiting (organization_id) as (
      (select organization_id from outbound_recipients where state = 'waiting' order by organization_id limit 1)
      union all
      select (select organization_id from outbound_recipients
        where state = 'waiting' and organization_id > waiting.organization_id order by organization_id limit 1)
      from waiting where waiting.organization_id is not null
    ), due as materialized (
      select batch.message_id, batch.route
      from waiting cross join lateral (
        select message_id, route, due_at, row_number() over (order by due_at, first) as turn
        from (
          select message_id, route, min(due_at) as due_at, min(id) as first
          from (
            select message_id, route, due_at, id from outbound_recipients
            where organization_id = waiting.organization_id and state = 'waiting' and due_at <= ${now}
              and not suspect and route <> all (${busy}::text[])
            order by due_at, id limit ${most * mostTogether}
          ) recipient group by message_id, route
        ) batch order by due_at, first limit ${most}
      ) batch
      where ${isNotSuspended(sql.ref('waiting.organization_id'))}
      order by batch.turn, batch.due_at limit ${most}
    )`
  return await take(db, now, due, sql`not suspect`)
}

/** Takes one batch that a worker has just ended over and that is due. They go one after the other, so that one that ends
 *  workers takes no other of them with it. */
export async function claimSuspect(db: Db, now: Date, busy: readonly string[]): Promise<Batch | undefined> {
  const due = sql`
    with due as materialized (
      select message_id, route from outbound_recipients
      where state = 'waiting' and suspect and due_at <= ${now} and route <> all (${busy}::text[])
        and ${isNotSuspended(sql.ref('outbound_recipients.organization_id'))}
      order by due_at, id limit 1
    )`
  const [batch] = await take(db, now, due, sql`suspect`)
  return batch
}

async function take(db: Db, now: Date, due: RawBuilder<unknown>, wanted: RawBuilder<unknown>): Promise<Batch[]> {
  const { rows } = await sql<Claimed & Omit<Batch, 'recipients'>>`
    ${due}, message as materialized (
      select id from outbound_messages where id in (select message_id from due) order by id for update skip locked
    )
    update outbound_recipients recipient
    set state = 'sending', epoch = epoch + 1, attempts = attempts + 1, due_at = ${new Date(now.getTime() + leaseMs)}
    where id in (
      select one.id from due join message on message.id = due.message_id cross join lateral (
        select id from outbound_recipients
        where message_id = due.message_id and route = due.route and state = 'waiting' and due_at <= ${now} and ${wanted}
        order by id limit ${mostTogether}
      ) one
    )
    returning id, recipient, epoch, doubted_at as "doubtedAt", message_id as "messageId",
      organization_id as "organizationId", route, attempts, cut_short as "cutShort", suspect`.execute(db)
  const batches = Map.groupBy(rows, ({ messageId, route }) => `${messageId} ${route}`)
  return [...batches.values()].flatMap((claimed) => {
    const [first] = claimed.sort((one, other) => one.id - other.id)
    if (!first) return []
    const { messageId, organizationId, route, suspect } = first
    return {
      ...{ messageId, organizationId, route, suspect },
      attempts: Math.max(...claimed.map(({ attempts }) => attempts)),
      cutShort: Math.max(...claimed.map(({ cutShort }) => cutShort)),
      recipients: claimed.map(({ id, recipient, epoch, doubtedAt }) => ({ id, recipient, epoch, doubtedAt })),
    }
  })
}

/** The rows of a claim that are still its own: a worker that was overtaken finds none. The epoch is looked up by its place,
 *  since PostgreSQL joins with every other a list that it takes for short. */
export function own(recipients: readonly Pick<Claimed, 'id' | 'epoch'>[]): RawBuilder<boolean> {
  const ids = recipients.map(({ id }) => id)
  const epochs = recipients.map(({ epoch }) => epoch)
  return sql<boolean>`recipient.id = any (${ids}::bigint[])
    and recipient.epoch = (${epochs}::integer[])[array_position(${ids}::bigint[], recipient.id)]`
}

/** Says, before the final dots go out, that they do: from then on nobody can tell that the peer has not got the message.
 *  Answers for each of the parties whether its claim still holds; where it is lost the dot must not go out. */
export async function markDots(db: Db, parties: readonly (readonly Claimed[])[]): Promise<boolean[]> {
  const { rows } = await sql<{ id: number }>`
    update outbound_recipients recipient set dotted = true
    where ${own(parties.flat())} and state = 'sending' and not dotted returning id`.execute(db)
  const marked = new Set(rows.map(({ id }) => id))
  return parties.map((party) => party.every(({ id }) => marked.has(id)))
}

/** Holds on to claims that take long. */
export async function renew(db: Db, recipients: readonly Claimed[], now: Date): Promise<void> {
  await sql`
    update outbound_recipients recipient set due_at = ${new Date(now.getTime() + leaseMs)}
    where ${own(recipients)} and state <> 'waiting'`.execute(db)
}

/**
 * Takes back what a worker that is gone had claimed. Its attempt was cut short, which is counted apart: it may have been
 * another message that ended the worker. The first time it is due at once, later it waits a while longer each time; what
 * nobody has yet is given up after the third.
 */
export async function takeBack(db: Db, now: Date): Promise<void> {
  await sql`
    with left_over as materialized (
      select id from outbound_recipients where state <> 'waiting' and due_at <= ${now}
      order by due_at limit 1000 for update skip locked
    )
    update outbound_recipients recipient set state = 'waiting', epoch = epoch + 1,
      cut_short = cut_short + 1, suspect = true, dotted = false,
      doubted_at = case when dotted then coalesce(doubted_at, ${now}) else doubted_at end,
      due_at = ${now}::timestamptz + interval '5 minutes'
        * case when route = ${together} and cut_short + 1 >= ${mostAttempts} then 0 else cut_short end,
      reason = case when dotted then 'The connection was lost before the message was acknowledged' else reason end
    where id in (select id from left_over)`.execute(db)
}
