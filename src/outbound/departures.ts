import { isAscii } from 'node:buffer'
import { slices } from '#/bytes.ts'
import type { Tx } from '#/db/schema.ts'
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
