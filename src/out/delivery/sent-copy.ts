import type { Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import { joined } from '#/base/event-loop/pieces.ts'
import { originalsOf } from '#/formats/mime/header/originals.ts'
import { ownIdField } from '#/formats/mime/header/own-ids.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import { naming } from '#/formats/mime/read-message.ts'
import { appendCopies } from '#/mail/store/append-copies.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { ownIdsNamedBy } from '#/out/sent/replaced-ids.ts'

/** A message to be stored in Sent. */
export interface SentCopy {
  readonly mailbox: MailboxRef
  readonly message: Message
  readonly sentAt: Date
  readonly unlessThere?: string
  /** Delivery is ambiguous. The copy is starred and unread, so that its owner looks at it. */
  readonly ambiguous?: boolean
}

/** Stores copies in Sent, and marks the messages that they answer or forward. */
export async function storeCopies(tx: Tx, idKey: IdHashKey, copies: readonly SentCopy[], by?: By): Promise<void> {
  const kept = { folder: 'sent', keywords: [], filteredBy: [] }
  const named: SentCopy[] = []
  for (const copy of copies) named.push({ ...copy, message: await withOwnIds(tx, copy) })
  await appendCopies(
    tx,
    idKey,
    named.map(({ sentAt, ambiguous = false, ...copy }) => ({
      ...{ ...copy, receivedAt: sentAt, seen: !ambiguous, flagged: ambiguous },
      ...kept,
      originals: originalsOf(copy.message.headers),
    })),
    by,
  )
}

/** An answer to an answer names our first message by a relay's id too. */
async function withOwnIds(tx: Tx, { mailbox: { organizationId }, message }: SentCopy): Promise<Message> {
  const own = (await ownIdsNamedBy(tx, [organizationId], message)).get(organizationId) ?? []
  if (own.length === 0) return message
  return { ...naming(message, own), raw: await joined([Buffer.from(ownIdField(own)), message.raw]) }
}

/** A Comments field (RFC 5322, section 3.6.5) that says in Sent what is unknown of the delivery. */
export function commentsField(text: string): string {
  return `Comments: ${text.replace(/[^\x20-\x7e]+/g, '?').slice(0, 900)}\r\n`
}

/** A Bcc field for the copy in Sent: its sender may see these recipients. */
export function bccField(addresses: readonly string[]): string {
  return addresses.length === 0 ? '' : `Bcc: ${addresses.join(',\r\n ')}\r\n`
}
