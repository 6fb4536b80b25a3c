import { type RawBuilder, sql } from 'kysely'
import type { MessageState } from '#/base/db/schema/queue.ts'
import type { Db } from '#/base/db/schema.ts'
import { pieceByPiece, pieceBytes } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { openedPiece, openedVerdict } from './sealed.ts'

/** A message in the queue, without its octets. */
export interface QueuedMessage {
  readonly id: string
  readonly organizationId: string
  /** The mailbox that owns the message and receives its delivery failures; null if there is none. */
  readonly mailboxId: string | null
  readonly kind: 'sent' | 'scheduled' | 'notice' | 'relayed' | 'returned' | 'reply'
  readonly state: MessageState
  /** The envelope sender; empty for the null sender. */
  readonly sender: string
  readonly smtpUtf8: boolean
  readonly eightBit: boolean
  readonly sizeBytes: number
  /** Its recipients are sealed in the queue and are not logged. */
  readonly concealed: boolean
  readonly queuedAt: Date
  /** When a scheduled message is due; null for others. */
  readonly sendAt: Date | null
  /** For how many recipients the day's allowance is still to be claimed. */
  readonly allowanceDue: number
  /** The verdict on a message that arrived here; null if a mailbox here is its author. */
  readonly verdict: Verdict | null
}

/** How long recipients are tried, in milliseconds (RFC 5321, section 4.5.4.1: at least 4 to 5 days). */
export const lifetime = 5 * 24 * 60 * 60_000

export function expiryOf({ queuedAt }: QueuedMessage): Date {
  return new Date(queuedAt.getTime() + lifetime)
}

/** A `QueuedMessage` as stored in its row. */
export type MessageRow = Omit<QueuedMessage, 'verdict'> & { readonly verdict: Buffer | null }

/** The columns of `outbound_messages` for a `MessageRow`. */
export const messageColumns: RawBuilder<MessageRow> = sql`
  id, organization_id as "organizationId", mailbox_id as "mailboxId", kind, state, sender, smtp_utf8 as "smtpUtf8",
  eight_bit as "eightBit", size_bytes as "sizeBytes", concealed, queued_at as "queuedAt", send_at as "sendAt",
  allowance_due as "allowanceDue", verdict`

export function openedMessage(key: SealingKey, row: MessageRow): QueuedMessage {
  return { ...row, verdict: row.verdict && openedVerdict(key, row.id, row.verdict) }
}

export async function queuedMessage(
  db: Db,
  key: SealingKey,
  organizationId: string,
  id: string,
): Promise<QueuedMessage | undefined> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from outbound_messages
    where organization_id = ${organizationId} and id = ${id}`.execute(db)
  return rows[0] && openedMessage(key, rows[0])
}

/** The message's octets, one piece at a time: a slow peer must not keep a large message in memory. */
export function queuedOctets(db: Db, key: SealingKey, messageId: string): AsyncGenerator<Buffer> {
  const pieces = db.selectFrom('outbound_pieces').select('bytes').where('message_id', '=', messageId)
  return pieceByPiece(async (number) => {
    const piece = await pieces.where('number', '=', number).executeTakeFirst()
    return piece && { bytes: openedPiece(key, messageId, number, piece.bytes) }
  })
}

/** The octets of those of the messages that are stored in one piece. */
export async function octetsInOnePiece(
  db: Db,
  key: SealingKey,
  messages: readonly Pick<QueuedMessage, 'id' | 'sizeBytes'>[],
): Promise<Map<string, Buffer>> {
  const ids = messages.flatMap(({ id, sizeBytes }) => (sizeBytes <= pieceBytes ? id : []))
  const { rows } = await sql<{ id: string; bytes: Buffer }>`
    select message_id as id, bytes from outbound_pieces
    where message_id = any (${ids}::uuid[]) and number = 0`.execute(db)
  return new Map(rows.map(({ id, bytes }) => [id, openedPiece(key, id, 0, bytes)]))
}
