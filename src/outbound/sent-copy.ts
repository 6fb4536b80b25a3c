import { collected, joined } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { parseMailbox } from '#/mime/address.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { type Held, heldOctets } from './held.ts'

/** What a sender keeps of a message. */
export interface SentCopy {
  readonly mailbox: MailboxRef
  readonly message: Message
  readonly sentAt: Date
}

interface Parts {
  readonly db: Db
  readonly reader: MessageReader
}

/** The copy for Sent of a message in the outbound queue, whose octets need not be read where they are given; undefined
 *  where its mailbox is gone. */
export async function sentCopy(
  { db, reader }: Parts,
  { id, organizationId, sizeBytes, createdAt }: Pick<Held, 'id' | 'organizationId' | 'sizeBytes' | 'createdAt'>,
  { mailboxId, bcc }: { readonly mailboxId: string | null; readonly bcc: readonly string[] },
  octets?: Buffer,
): Promise<SentCopy | undefined> {
  if (mailboxId === null) return undefined
  const raw = octets ?? (await collected(heldOctets(db, id), sizeBytes))
  const secret = bcc.map((one) => parseMailbox(one)?.address ?? one)
  const message = await reader.message(await joined([Buffer.from(bccField(secret)), raw]))
  return { mailbox: { organizationId, mailboxId }, message, sentAt: createdAt }
}

export async function storeCopies(
  tx: Tx,
  { mailHost }: { readonly mailHost: MailHost },
  copies: readonly SentCopy[],
): Promise<void> {
  const read = { folder: 'sent', seen: true, flagged: false, keywords: [], filteredBy: [] }
  await mailHost.append(
    tx,
    copies.map(({ mailbox, message, sentAt }) => ({ mailbox, message, receivedAt: sentAt, ...read })),
  )
}

/** Who sent a message may see in Sent whom it went to in secret. */
export function bccField(addresses: readonly string[]): string {
  return addresses.length === 0 ? '' : `Bcc: ${addresses.join(',\r\n ')}\r\n`
}
