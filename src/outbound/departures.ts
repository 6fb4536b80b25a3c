import { isAscii } from 'node:buffer'
import { sql } from 'kysely'
import { pieceBytes, slices } from '#/bytes.ts'
import type { Tx } from '#/db/schema.ts'
import { lifetime } from './backoff.ts'
import { type Batch, leaseMs, together } from './claims.ts'
import type { Held } from './held.ts'

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
  /** That were made before it was put into the queue, or are begun with that; none unless told. */
  readonly attempts?: number
  /** How many of them ended with their worker; none unless told. */
  readonly cutShort?: number
  /** The last one did. */
  readonly suspect?: boolean
}

/** Puts a message into the queue. Once `tx` commits we are responsible for it. */
export async function insertDeparture(tx: Tx, departure: Departure, now: Date): Promise<void> {
  await insert(tx, [departure], now, { state: 'waiting', epoch: 0, dueAt: now })
}

/** Puts messages into the queue that this worker has taken already: they are begun with the commit of `tx`. Answers the
 *  claims, in the order of the messages. */
export async function insertClaimed(tx: Tx, departures: readonly Departure[], now: Date): Promise<Batch[]> {
  const dueAt = new Date(now.getTime() + leaseMs)
  const rows = await insert(tx, departures, now, { state: 'sending', epoch: 1, dueAt })
  const claimed = Map.groupBy(rows, ({ messageId }) => messageId)
  return departures.map(({ id, organizationId, attempts = 0, cutShort = 0, suspect = false }) => {
    const own = (claimed.get(id) ?? []).sort((one, other) => one.id - other.id)
    const recipients = own.map(({ id, recipient }) => ({ id, recipient, epoch: 1, inDoubt: false }))
    return { messageId: id, organizationId, route: together, attempts, cutShort, suspect, recipients }
  })
}

/** The message as the queue holds it. */
export function heldOf({ raw, recipients, utf8Header, ...departure }: Departure, createdAt: Date): Held {
  const eightBit = !isAscii(raw)
  return {
    id: departure.id,
    organizationId: departure.organizationId,
    mailboxId: departure.mailboxId,
    kind: departure.kind,
    sender: departure.sender,
    messageId: departure.messageId,
    subject: departure.subject,
    smtpUtf8: (utf8Header ?? eightBit) || recipients.some(({ recipient }) => !isAscii(Buffer.from(recipient))),
    eightBit,
    sizeBytes: raw.length,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetime),
  }
}

interface Standing {
  readonly state: 'waiting' | 'sending'
  readonly epoch: number
  readonly dueAt: Date
}

/** The octets of messages of one piece go as one parameter in binary form: as texts they would be sent in hexadecimal. */
async function insert(
  tx: Tx,
  departures: readonly Departure[],
  now: Date,
  { state, epoch, dueAt }: Standing,
): Promise<{ id: number; messageId: string; recipient: string }[]> {
  const small: Buffer[] = []
  let start = 1
  const messages = departures.map((departure) => {
    const { raw } = departure
    if (raw.length > pieceBytes) return { ...heldOf(departure, now), start: null }
    small.push(raw)
    start += raw.length
    return { ...heldOf(departure, now), start: start - raw.length }
  })
  const recipients = departures.flatMap(({ id, organizationId, recipients, ...rest }) => {
    const { attempts = 0, cutShort = 0, suspect = false } = rest
    const known = { message_id: id, organization_id: organizationId, attempts, cut_short: cutShort, suspect }
    return recipients.map((one) => ({ ...one, ...known }))
  })
  const { rows } = await sql<{ id: number; messageId: string; recipient: string }>`
    with message as materialized (
      select * from jsonb_to_recordset(${storable(messages)}::jsonb) as row (id uuid, "organizationId" uuid,
        "mailboxId" uuid, kind text, sender text, "messageId" text, subject text, "smtpUtf8" boolean,
        "eightBit" boolean, "sizeBytes" integer, "createdAt" timestamptz, "expiresAt" timestamptz, start integer)
    ), messages as (
      insert into outbound_messages (id, organization_id, mailbox_id, kind, sender, message_id, subject, smtp_utf8,
        eight_bit, size_bytes, created_at, expires_at)
      select id, "organizationId", "mailboxId", kind, sender, "messageId", subject, "smtpUtf8", "eightBit", "sizeBytes",
        "createdAt", "expiresAt"
      from message
    ), pieces as (
      insert into outbound_pieces (message_id, number, bytes)
      select id, 0, substring(${Buffer.concat(small)}::bytea from start for "sizeBytes") from message
      where start is not null
    )
    insert into outbound_recipients (message_id, organization_id, recipient, route, attempts, cut_short, suspect, state,
      epoch, due_at)
    select message_id, organization_id, recipient, route, attempts, cut_short, suspect, ${state}::text, ${epoch}::integer,
      ${dueAt}::timestamptz
    from jsonb_to_recordset(${storable(recipients)}::jsonb) as row (message_id uuid, organization_id uuid,
      recipient text, route text, attempts integer, cut_short integer, suspect boolean)
    returning id, message_id as "messageId", recipient`.execute(tx)
  for (const { id, raw } of departures) if (raw.length > pieceBytes) await insertPieces(tx, id, raw)
  return rows
}

async function insertPieces(tx: Tx, id: string, raw: Buffer): Promise<void> {
  let number = 0
  for (const bytes of slices(raw)) {
    await tx.insertInto('outbound_pieces').values({ message_id: id, number: number++, bytes }).execute()
  }
}

/** As JSON that PostgreSQL takes: a forwarded message may be named by anything. */
function storable(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
}
