import { pieceByPiece } from '#/bytes.ts'
import type { Db } from '#/db/schema.ts'
import type { Departure } from './departures.ts'

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
    .select([
      'id',
      'organization_id',
      'mailbox_id',
      'kind',
      'sender',
      'message_id',
      'subject',
      'smtp_utf8',
      'eight_bit',
    ])
    .select(['size_bytes', 'created_at', 'expires_at'])
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
export function heldOctets(db: Db, messageId: string): AsyncGenerator<Buffer> {
  const pieces = db.selectFrom('outbound_pieces').select('bytes').where('message_id', '=', messageId)
  return pieceByPiece((number) => pieces.where('number', '=', number).executeTakeFirst())
}
