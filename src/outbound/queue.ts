import { isAscii } from 'node:buffer'
import { type RawBuilder, sql } from 'kysely'
import { slices } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { mostAttempts } from '#/scheduled/scheduled.ts'
import { lifetime } from './backoff.ts'

/** A message that is to leave, as it goes over the wire. */
export interface Departure {
  readonly id: string
  readonly organizationId: string
  /** Whose it is, and who is told where it cannot be delivered; null where nobody is. */
  readonly mailboxId: string | null
  readonly kind: 'sent' | 'scheduled' | 'notice' | 'relayed' | 'returned' | 'reply'
  /** The envelope's; empty for the null sender. */
  readonly sender: string
  readonly messageId: string
  readonly subject: string
  readonly raw: Buffer
  /** Its header needs SMTPUTF8 (RFC 6531). Where that is not told it does unless all of it is ASCII, as what we compose is
   *  but for internationalised addresses. */
  readonly utf8Header?: boolean
  readonly recipients: readonly { readonly recipient: string; readonly route: string }[]
  /** That were made before it was put into the queue; none unless told. */
  readonly attempts?: number
}

/** The route of recipients whose message nobody has yet: by whatever routes they are reached, it is tried for all of
 *  them at once, and what came of it is decided for all of them together. */
export const together = ''

/** Puts a message into the queue. Once `tx` commits we are responsible for it. */
export async function insertDeparture(tx: Tx, departure: Departure, now: Date): Promise<void> {
  const { id, organizationId, raw, recipients } = departure
  const eightBit = !isAscii(raw)
  const { utf8Header = eightBit } = departure
  await tx
    .insertInto('outbound_messages')
    .values({
      id,
      organization_id: organizationId,
      mailbox_id: departure.mailboxId,
      kind: departure.kind,
      sender: departure.sender,
      message_id: departure.messageId,
      subject: departure.subject,
      smtp_utf8: utf8Header || recipients.some(({ recipient }) => !isAscii(Buffer.from(recipient))),
      eight_bit: eightBit,
      size_bytes: raw.length,
      created_at: now,
      expires_at: new Date(now.getTime() + lifetime),
    })
    .execute()
  let number = 0
  for (const bytes of slices(raw)) {
    await tx.insertInto('outbound_pieces').values({ message_id: id, number: number++, bytes }).execute()
  }
  await tx
    .insertInto('outbound_recipients')
    .values(
      recipients.map(({ recipient, route }) => ({
        message_id: id,
        organization_id: organizationId,
        recipient,
        route,
        attempts: departure.attempts ?? 0,
        due_at: now,
      })),
    )
    .execute()
}

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
function own(recipients: readonly Claimed[]): RawBuilder<boolean> {
  return sql<boolean>`(recipient.id, recipient.epoch) in (
    select claimed.id, claimed.epoch from jsonb_to_recordset(${JSON.stringify(recipients)}::jsonb)
      as claimed (id bigint, epoch integer))`
}

/** What is to be sent, and how far its sending has come. */
export interface Held {
  readonly id: string
  readonly organizationId: string
  readonly mailboxId: string | null
  readonly kind: Departure['kind']
  readonly sender: string
  readonly messageId: string
  readonly subject: string
  readonly smtpUtf8: boolean
  readonly eightBit: boolean
  readonly sizeBytes: number
  readonly createdAt: Date
  readonly expiresAt: Date
}

export async function heldMessage(db: Db, organizationId: string, id: string): Promise<Held | undefined> {
  const row = await db
    .selectFrom('outbound_messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      organizationId: row.organization_id,
      mailboxId: row.mailbox_id,
      kind: row.kind,
      sender: row.sender,
      messageId: row.message_id,
      subject: row.subject,
      smtpUtf8: row.smtp_utf8,
      eightBit: row.eight_bit,
      sizeBytes: row.size_bytes,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }
  )
}

/** The message's octets, a piece at a time, since a slow peer would have all of a large one kept in memory. */
export async function* heldOctets(db: Db, messageId: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const row = await db
      .selectFrom('outbound_pieces')
      .select('bytes')
      .where('message_id', '=', messageId)
      .where('number', '=', number)
      .executeTakeFirst()
    if (!row) return
    yield row.bytes
  }
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

/** What an attempt has come to for one recipient that it did not settle. */
export interface Postponed {
  readonly id: number
  readonly dueAt: Date
  readonly reply: string | null
  readonly reason: string
  readonly host: string | null
  /** When its sender was told of the delay, if this is the moment. */
  readonly toldAt: Date | null
  /** Another than until now. */
  readonly route?: string
}

export async function postpone(tx: Tx, recipients: readonly Claimed[], postponed: readonly Postponed[]): Promise<void> {
  if (postponed.length === 0) return
  await sql`
    update outbound_recipients recipient
    set state = 'waiting', due_at = later."dueAt", reply = later.reply, reason = later.reason, host = later.host,
      told_at = coalesce(later."toldAt", recipient.told_at), route = coalesce(later.route, recipient.route)
    from jsonb_to_recordset(${JSON.stringify(postponed)}::jsonb)
      as later (id bigint, "dueAt" timestamptz, reply text, reason text, host text, "toldAt" timestamptz, route text)
    where recipient.id = later.id and ${own(recipients)}`.execute(tx)
}

/** Takes out the recipients that are settled; the last one takes the message with it. */
export async function settle(
  tx: Tx,
  messageId: string,
  recipients: readonly Claimed[],
  settled: readonly number[],
  delivered: number,
): Promise<void> {
  // The message's row first, as the claim does, so that the last two recipients see each other go.
  await sql`update outbound_messages set delivered = delivered + ${delivered} where id = ${messageId}`.execute(tx)
  await sql`
    delete from outbound_recipients recipient where id = any (${settled}::bigint[]) and ${own(recipients)}`.execute(tx)
  await forgetEmpty(tx, messageId)
}

/** Removes a message that nobody waits for any more, and whose copy in Sent is not owed. */
export async function forgetEmpty(tx: Tx, messageId: string): Promise<void> {
  await sql`
    delete from outbound_messages message where id = ${messageId}
      and not exists (select from outbound_recipients where message_id = message.id)
      and not exists (select from scheduled_messages where outbound_id = message.id)`.execute(tx)
}

/** Locks what is still the claim's own, for the transaction that finishes it. */
export async function holdClaim(
  tx: Tx,
  recipients: readonly Claimed[],
): Promise<{ id: number; attempts: number; toldAt: Date | null }[]> {
  const { rows } = await sql<{ id: number; attempts: number; toldAt: Date | null }>`
    select id, attempts, told_at as "toldAt" from outbound_recipients recipient
    where ${own(recipients)} and state <> 'waiting' order by id for update`.execute(tx)
  return rows
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
