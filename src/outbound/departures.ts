import { isAscii } from 'node:buffer'
import { sql } from 'kysely'
import { pieceBytes, slices } from '#/bytes.ts'
import type { Tx } from '#/db/schema.ts'
import type { Verdict } from '#/inbound/authenticate.ts'
import type { SealingKey } from '#/seal.ts'
import { sealedPiece, sealedRecipient, sealedVerdict } from '#/sending/sealed.ts'
import { lifetime } from './backoff.ts'
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
  readonly raw: Buffer
  /** Its header needs SMTPUTF8 (RFC 6531). Where that is not told it does unless all of it is ASCII, as what we compose is
   *  but for internationalised addresses. */
  readonly utf8Header?: boolean
  /** Its recipients are a secret too. */
  readonly concealed?: boolean
  /** What was found of it when it came in, by which it is judged where it comes in again; null, and so unless that is told,
   *  where one of our own mailboxes is its author. */
  readonly verdict?: Verdict | null
  readonly recipients: readonly { readonly recipient: string; readonly route: string }[]
}

/** Puts a message into the queue, sealed. Once `tx` commits we are responsible for it. */
export async function insertDeparture(tx: Tx, key: SealingKey, departure: Departure, now: Date): Promise<void> {
  const { raw, recipients } = departure
  const held = heldOf(departure, now)
  const small = raw.length <= pieceBytes
  const shown = (recipient: string) => (held.concealed ? sealedRecipient(key, held.id, recipient) : recipient)
  await sql`
    with message as (
      insert into outbound_messages (id, organization_id, mailbox_id, kind, sender, smtp_utf8, eight_bit, size_bytes,
        concealed, created_at, expires_at, verdict)
      values (${held.id}, ${held.organizationId}, ${held.mailboxId}, ${held.kind}, ${storable(held.sender)},
        ${held.smtpUtf8}, ${held.eightBit}, ${held.sizeBytes}, ${held.concealed}, ${held.createdAt}, ${held.expiresAt},
        ${held.verdict && sealedVerdict(key, held.id, held.verdict)})
    ), piece as (
      insert into outbound_pieces (message_id, number, bytes, sealed)
      select ${held.id}::uuid, 0, ${small ? sealedPiece(key, held.id, 0, raw) : null}::bytea, true where ${small}
    )
    insert into outbound_recipients (message_id, organization_id, recipient, route, due_at)
    select ${held.id}::uuid, ${held.organizationId}::uuid, recipient, route, ${now}::timestamptz
    from unnest(${recipients.map(({ recipient }) => shown(storable(recipient)))}::text[],
      ${recipients.map(({ route }) => route)}::text[]) as one (recipient, route)`.execute(tx)
  if (!small) await insertPieces(tx, key, held.id, raw)
}

/** The octets of a message in the queue. */
export async function insertPieces(tx: Tx, key: SealingKey, id: string, raw: Buffer): Promise<void> {
  let number = 0
  for (const slice of slices(raw)) {
    const bytes = sealedPiece(key, id, number, slice)
    await tx.insertInto('outbound_pieces').values({ message_id: id, number: number++, bytes, sealed: true }).execute()
  }
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
    smtpUtf8: (utf8Header ?? eightBit) || recipients.some(({ recipient }) => !isAscii(Buffer.from(recipient))),
    eightBit,
    sizeBytes: raw.length,
    concealed: departure.concealed ?? false,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetime),
    verdict: departure.verdict ?? null,
  }
}

/** As PostgreSQL takes it: a forwarded message may be named by anything. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
