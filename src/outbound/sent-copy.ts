import { collected, joined } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { parseMailbox } from '#/mime/address.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { heldOctets } from './held.ts'

/** What a sender keeps of a message. */
export interface SentCopy {
  readonly mailbox: MailboxRef
  readonly message: Message
}

interface Parts {
  readonly db: Db
  readonly reader: MessageReader
}

/** The copy for Sent of a message in the outbound queue; undefined where its mailbox is gone. */
export async function sentCopy(
  { db, reader }: Parts,
  {
    id,
    organizationId,
    sizeBytes,
  }: { readonly id: string; readonly organizationId: string; readonly sizeBytes: number },
  { mailboxId, bcc }: { readonly mailboxId: string | null; readonly bcc: readonly string[] },
): Promise<SentCopy | undefined> {
  if (mailboxId === null) return undefined
  const raw = await collected(heldOctets(db, id), sizeBytes)
  const secret = bcc.map((one) => parseMailbox(one)?.address ?? one)
  const message = await reader.message(await joined([Buffer.from(bccField(secret)), raw]))
  return { mailbox: { organizationId, mailboxId }, message }
}

export async function storeCopy(
  tx: Tx,
  { mailHost }: { readonly mailHost: MailHost },
  { mailbox, message }: SentCopy,
  now: Date,
): Promise<void> {
  const read = { receivedAt: now, seen: true, flagged: false, keywords: [], filteredBy: [] }
  await mailHost.append(tx, [{ mailbox, folder: 'sent', message, ...read }])
}

/** Who sent a message may see in Sent whom it went to in secret. */
export function bccField(addresses: readonly string[]): string {
  return addresses.length === 0 ? '' : `Bcc: ${addresses.join(',\r\n ')}\r\n`
}
