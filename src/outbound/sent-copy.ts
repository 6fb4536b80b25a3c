import type { Tx } from '#/db/schema.ts'
import type { Message } from '#/mime/message.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'

/** What a sender keeps of a message. */
export interface SentCopy {
  readonly mailbox: MailboxRef
  readonly message: Message
  readonly sentAt: Date
  readonly unlessThere?: string
}

export async function storeCopies(
  tx: Tx,
  { mailHost }: { readonly mailHost: MailHost },
  copies: readonly SentCopy[],
): Promise<void> {
  const read = { folder: 'sent', seen: true, flagged: false, keywords: [], filteredBy: [] }
  await mailHost.append(
    tx,
    copies.map(({ sentAt, ...copy }) => ({ ...copy, receivedAt: sentAt, ...read })),
  )
}

/** Who sent a message may see in Sent whom it went to in secret. */
export function bccField(addresses: readonly string[]): string {
  return addresses.length === 0 ? '' : `Bcc: ${addresses.join(',\r\n ')}\r\n`
}
