import type { Tx } from '#/db/schema.ts'
import type { Message } from '#/mime/message.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'

/** What a sender keeps of a message. */
export interface SentCopy {
  readonly mailbox: MailboxRef
  readonly message: Message
  readonly sentAt: Date
  readonly unlessThere?: string
  /** Nobody knows whether anybody has it: it is starred, and unread, to be looked at. */
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

/** Says of a copy in Sent what is not known of it (RFC 5322, section 3.6.5). */
export function commentsField(text: string): string {
  return `Comments: ${text.replace(/[^\x20-\x7e]+/g, '?').slice(0, 900)}\r\n`
}

/** Who sent a message may see in Sent whom it went to in secret. */
export function bccField(addresses: readonly string[]): string {
  return addresses.length === 0 ? '' : `Bcc: ${addresses.join(',\r\n ')}\r\n`
}
