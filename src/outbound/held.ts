import { pieceByPiece } from '#/bytes.ts'
import type { Db } from '#/db/schema.ts'
import type { Verdict } from '#/inbound/authenticate.ts'
import type { SealingKey } from '#/seal.ts'
import { openedPiece, openedVerdict } from '#/sending/sealed.ts'
import type { Departure } from './departures.ts'

/** What is to be sent, and how far its sending has come. */
export interface Held {
  readonly id: string
  readonly organizationId: string
  readonly mailboxId: string | null
  readonly kind: Departure['kind']
  readonly sender: string
  readonly smtpUtf8: boolean
  readonly eightBit: boolean
  readonly sizeBytes: number
  /** Its recipients are sealed in the queue, and the log does not name them. */
  readonly concealed: boolean
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Of a message that came in; null for what one of our own mailboxes is the author of. */
  readonly verdict: Verdict | null
}

export async function heldMessage(
  db: Db,
  key: SealingKey,
  organizationId: string,
  id: string,
): Promise<Held | undefined> {
  const row = await db
    .selectFrom('outbound_messages')
    .select(['id', 'organization_id', 'mailbox_id', 'kind', 'sender', 'smtp_utf8', 'eight_bit', 'size_bytes'])
    .select(['concealed', 'created_at', 'expires_at', 'verdict'])
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
      smtpUtf8: row.smtp_utf8,
      eightBit: row.eight_bit,
      sizeBytes: row.size_bytes,
      concealed: row.concealed,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      verdict: row.verdict && openedVerdict(key, row.id, row.verdict),
    }
  )
}

/** The message's octets, a piece at a time, since a slow peer would have all of a large one kept in memory. */
export function heldOctets(db: Db, key: SealingKey, messageId: string): AsyncGenerator<Buffer> {
  const pieces = db.selectFrom('outbound_pieces').select(['bytes', 'sealed']).where('message_id', '=', messageId)
  return pieceByPiece(async (number) => {
    const piece = await pieces.where('number', '=', number).executeTakeFirst()
    return piece && { bytes: openedPiece(key, messageId, number, piece) }
  })
}
