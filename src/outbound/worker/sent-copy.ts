import type { Tx } from '#/db/schema.ts'
import type { Message } from '#/mime/message.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'

/** A message to be stored in Sent. */
export interface SentCopy {
  readonly mailbox: MailboxRef
  readonly message: Message
  readonly sentAt: Date
  readonly unlessThere?: string
  /** Delivery is ambiguous. The copy is starred and unread, so that its owner looks at it. */
  readonly ambiguous?: boolean
}

export async function storeCopies(
  tx: Tx,
  { mailHost }: { readonly mailHost: MailHost },
  copies: readonly SentCopy[],
): Promise<void> {
  const kept = { folder: 'sent', keywords: [], filteredBy: [] }
  await mailHost.append(
    tx,
    copies.map(({ sentAt, ambiguous = false, ...copy }) => ({
      ...{ ...copy, receivedAt: sentAt, seen: !ambiguous, flagged: ambiguous },
      ...kept,
    })),
  )
}

/** A Comments field (RFC 5322, section 3.6.5) that says in Sent what is unknown of the delivery. */
export function commentsField(text: string): string {
  return `Comments: ${text.replace(/[^\x20-\x7e]+/g, '?').slice(0, 900)}\r\n`
}

/** A Bcc field for the copy in Sent: its sender may see these recipients. */
export function bccField(addresses: readonly string[]): string {
  return addresses.length === 0 ? '' : `Bcc: ${addresses.join(',\r\n ')}\r\n`
}
