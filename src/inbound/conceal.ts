import { randomUUID } from 'node:crypto'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { certificateOf } from '#/mailboxes/queries.ts'
import { readHeaders } from '#/mime/headers.ts'
import type { Message } from '#/mime/message.ts'
import { aroundArmor, plainAddress, plainMessageId } from '#/mime/pgp-mime.ts'
import { bareReceivedField } from '#/mime/trace.ts'
import type { OpenPgp } from '#/openpgp/openpgp.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { Envelope } from './envelope.ts'
import { protocolOf } from './trace.ts'

/** What encrypting for a Private mailbox stands on. */
interface Concealing {
  readonly db: Db
  readonly openPgp: OpenPgp
  readonly hostname: string
}

/** The message as a Private mailbox keeps it: all of it encrypted to the owner's certificate, and nothing read of it.
 *  Conversations are not told apart by ids either. Throws where it cannot be encrypted; then nothing may be stored. */
export async function concealed(
  { db, openPgp, hostname }: Concealing,
  envelope: Envelope,
  { raw: bytes, from, messageId }: Message,
  mailbox: MailboxRef,
): Promise<Message> {
  const owner = await certificateOf(db, mailbox)
  if (!owner) throw notFound('mailbox')
  const { id, receivedAt } = envelope
  const clear = {
    received: bareReceivedField({ by: hostname, protocol: protocolOf(envelope), id, at: receivedAt }),
    from: plainAddress(from?.address ?? ''),
    to: owner.address,
    messageId: plainMessageId(messageId),
    date: receivedAt,
  }
  const raw = await openPgp.enclose({ ...owner, ...aroundArmor(clear, `mailroom-${randomUUID()}`), bytes })
  return { raw, headers: readHeaders(raw).headers, ...nothingRead }
}

const nothingRead = {
  messageId: null,
  threadRoot: null,
  strong: [],
  weak: [],
  subject: '',
  from: null,
  sender: [],
  to: [],
  cc: [],
  replyTo: [],
  hasAttachment: false,
  preview: '',
} as const satisfies Partial<Message>
