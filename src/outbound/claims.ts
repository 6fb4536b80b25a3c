import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import { together } from './departures.ts'

/** Recipients of one message that travel together, taken by a worker. */
export interface Batch {
  readonly messageId: string
  readonly organizationId: string
  readonly route: string
  /** By recipient row. */
  readonly recipients: readonly Claimed[]
}

export interface Claimed {
  readonly id: number
  readonly recipient: string
  readonly epoch: number
}

/** How long a claim holds unless it is renewed, in milliseconds. A worker that dies is followed by another within it. */
export const leaseMs = 30_000

/** As many recipients as go in one transaction (RFC 5321, section 4.5.3.1.8 asks every server to take that many). */
const mostTogether = 100

/**
 * Takes up to `most` batches that are due, but for the routes that are `busy`, in one statement. Organizations take
 * turns, so that ten thousand messages of one hold up nobody else; within one the longest due comes first. A message
 * that another worker is just taking something of is passed over.
 */
export async function claim(db: Db, now: Date, busy: readonly string[], most: number): Promise<Batch[]> {
  const { rows } = await sql<{
    id: number
    message_id: string
    organization_id: string
    route: string
    recipient: string
    epoch: number
  }>`
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
              and route <> all (${busy}::text[])
            order by due_at, id limit ${most * mostTogether}
          ) recipient group by message_id, route
        ) batch order by due_at, first limit ${most}
      ) batch
      order by batch.turn, batch.due_at limit ${most}
    ), message as materialized (
      select id from outbound_messages where id in (select message_id from due) order by id for update skip locked
    )
    update outbound_recipients recipient
    set state = 'sending', epoch = epoch + 1, due_at = ${new Date(now.getTime() + leaseMs)}
    where id in (
      select one.id from due join message on message.id = due.message_id cross join lateral (
        select id from outbound_recipients
        where message_id = due.message_id and route = due.route and state = 'waiting' and due_at <= ${now}
        order by id limit ${mostTogether}
      ) one
    )
    returning id, message_id, organization_id, route, recipient, epoch`.execute(db)
  const batches = new Map<string, { -readonly [K in keyof Batch]: K extends 'recipients' ? Claimed[] : Batch[K] }>()
  for (const { id, message_id, organization_id, route, recipient, epoch } of rows) {
    const key = `${message_id} ${route}`
    const batch = batches.get(key) ?? {
      messageId: message_id,
      organizationId: organization_id,
      route,
      recipients: [],
    }
    batch.recipients.push({ id, recipient, epoch })
    batches.set(key, batch)
  }
  for (const { recipients } of batches.values()) recipients.sort((one, other) => one.id - other.id)
  return [...batches.values()]
}

/** The rows of a claim that are still its own: a worker that was overtaken finds none. */
export function own(recipients: readonly Claimed[]): RawBuilder<boolean> {
  return sql<boolean>`(recipient.id, recipient.epoch) in (
    select claimed.id, claimed.epoch from jsonb_to_recordset(${JSON.stringify(recipients)}::jsonb)
      as claimed (id bigint, epoch integer))`
}

/** Counts the attempt, in a transaction of its own: an attempt that ends this process has been one. Answers how many
 *  there were; undefined where the claim is lost. */
export async function start(db: Db, recipients: readonly Claimed[]): Promise<number | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    update outbound_recipients recipient set attempts = attempts + 1
    where ${own(recipients)} and state = 'sending' returning attempts`.execute(db)
  return rows.length === recipients.length ? Math.max(...rows.map(({ attempts }) => attempts)) : undefined
}

/** Says, before the final dot goes out, that it does: from then on nobody can tell that the peer has not got the
 *  message. False where the claim is lost, and then it must not go out. */
export async function markDot(db: Db, recipients: readonly Claimed[]): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update outbound_recipients recipient set state = 'dotted' where ${own(recipients)} and state = 'sending'`.execute(
    db,
  )
  return Number(numAffectedRows) === recipients.length
}

/** Holds on to claims that take long. */
export async function renew(db: Db, recipients: readonly Claimed[], now: Date): Promise<void> {
  await sql`
    update outbound_recipients recipient set due_at = ${new Date(now.getTime() + leaseMs)}
    where ${own(recipients)} and state <> 'waiting'`.execute(db)
}

/** Takes back what a worker that is gone had claimed. The first time it is due at once. What was in hand when a second
 *  worker ended is due later, one message after the other, so that one that ends workers takes no others with it; and
 *  if nobody has it yet, it is given up with its third. */
export async function takeBack(db: Db, now: Date): Promise<void> {
  await sql`
    with left_over as materialized (
      select id from outbound_recipients where state <> 'waiting' and due_at <= ${now}
      order by due_at limit 1000 for update skip locked
    ), suspect as (
      select recipient.id, case
          when attempts <= 1 or (route = ${together} and attempts >= ${mostAttempts}) then 0
          else (attempts - 1) * 300 + 2 * dense_rank() over (order by message_id)
        end as seconds
      from outbound_recipients recipient join left_over on left_over.id = recipient.id
    )
    update outbound_recipients recipient set state = 'waiting', epoch = epoch + 1,
      due_at = ${now}::timestamptz + suspect.seconds * interval '1 second',
      reason = case state when 'dotted' then 'The connection was lost before the message was acknowledged' else reason end
    from suspect where recipient.id = suspect.id`.execute(db)
}
