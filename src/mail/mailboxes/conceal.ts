import { randomUUID } from 'node:crypto'
import type { Db } from '#/base/db/schema.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import type { Message } from '#/formats/mime/message.ts'
import { aroundArmor, plainAddress, plainMessageId } from '#/formats/mime/pgp-mime.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { certificateOf } from './queries.ts'

/** The facts of arrival in the clear header of an encrypted message. */
export interface Arrival {
  /** A whole Received field. */
  readonly received: string
  readonly at: Date
}

/** The message as a Private mailbox stores it: encrypted to the owner's certificate, without any field that was read of it,
 *  the ids of conversations included. Undefined for other mailboxes. Throws if encryption fails; then store nothing. */
export async function concealed(
  { db, openPgp }: { readonly db: Db; readonly openPgp: OpenPgp },
  { received, at }: Arrival,
  { raw: bytes, from, messageId }: Message,
  mailbox: MailboxRef,
): Promise<Message | undefined> {
  const owner = await certificateOf(db, mailbox)
  if (!owner) return undefined
  const clear = {
    received,
    from: plainAddress(from?.address ?? ''),
    to: owner.address,
    messageId: plainMessageId(messageId),
    date: at,
  }
  const raw = await openPgp.enclose({ ...owner, ...aroundArmor(clear, `mailroom-${randomUUID()}`), bytes })
  return { raw, headers: readHeaders(raw).headers, ...nothingRead }
}

/** The fields of a message of which nothing is read. */
export const nothingRead = {
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
