import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { OwnAddresses } from '#/mail/mailboxes/own-addresses.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Summary } from '#/mail/store/read.ts'
import { isOurs } from '#/mail/threads/awaiting.ts'
import { textsOf } from '#/mail/threads/texts.ts'
import type { NotDeliveredOut } from './schemas.ts'

/** Of one message. */
const mostListed = 100

/** The recipients whom each message of a conversation has not reached, by notices in the conversation; of several notices
 *  about one recipient the newest. Only for messages that the mailbox sent. */
export async function notDelivered(
  db: Db,
  { mailbox, own }: { readonly mailbox: MailboxRef; readonly own: OwnAddresses },
  messages: readonly Summary[],
): Promise<NotDeliveredOut[][]> {
  const notices = messages.flatMap(({ facts, receivedAt }) => {
    return facts.undelivered ? [{ ...facts.undelivered, at: receivedAt.toISOString() }] : []
  })
  const said = messages.map((message) => {
    const isSent = message.messageId !== null && isOurs({ folder: message.folder, ...textsOf(message) }, own)
    return isSent ? notices.filter(({ about }) => about === message.messageId) : []
  })
  const named = said.flat().flatMap(({ recipients }) => recipients.flatMap(({ names }) => names))
  const bounced = await bouncedAmong(db, mailbox, [...new Set(named)])
  return messages.map(({ to }, index) => {
    const known = new Set(to.map(({ address }) => canonicalAddress(address)))
    const recipients = (said[index] ?? []).flatMap(({ recipients, at }) =>
      recipients.map(({ names, status, diagnostic }) => {
        // Those in Cc and Bcc are known by their bounces alone.
        const sentTo = names.find((name) => known.has(name)) ?? names.find((name) => bounced.has(name))
        const recipient = sentTo ?? names[0] ?? null
        return [recipient, { recipient, status, diagnostic, at, proven: bounced.has(recipient ?? '') }] as const
      }),
    )
    return [...new Map(recipients).values()].slice(-mostListed)
  })
}

/** Those of the addresses, in canonical form, from which mail of the mailbox has bounced. */
async function bouncedAmong(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  addresses: readonly string[],
): Promise<Set<string>> {
  if (addresses.length === 0) return new Set()
  const { rows } = await sql<{ address: string }>`
    select distinct address from sent_recipients
    where organization_id = ${organizationId} and address = any (${addresses}::text[])
      and mailbox_id = ${mailboxId} and state = 'bounced'`.execute(db)
  return new Set(rows.map(({ address }) => address))
}
