import type { Db } from '#/db/schema.ts'
import { canonicalAddress } from '#/mime/address/address.ts'
import type { Summary } from '#/ports/mail-host.ts'
import { bouncedAmong } from '#/sent/queries.ts'
import { textsOf } from '#/threads/texts.ts'
import { isOurs } from './awaiting.ts'
import type { OfMailbox } from './narrow.ts'
import type { NotDeliveredOut } from './schemas.ts'

/** Of one message. */
const mostListed = 100

/** The recipients whom each message of a conversation has not reached, by notices in the conversation; of several notices
 *  about one recipient the newest. Only for messages that the mailbox sent. */
export async function notDelivered(
  db: Db,
  { mailbox, own }: OfMailbox,
  messages: readonly Summary[],
): Promise<NotDeliveredOut[][]> {
  const notices = messages.flatMap(({ facts, receivedAt }) => {
    return facts.undelivered ? [{ ...facts.undelivered, at: receivedAt.toISOString() }] : []
  })
  const found = messages.map((message) => {
    const { messageId, to } = message
    if (messageId === null || !isOurs({ folder: message.folder, ...textsOf(message) }, own)) return []
    const known = new Set(to.map(({ address }) => canonicalAddress(address)))
    const said = notices.filter(({ about }) => about === messageId)
    const recipients = said.flatMap(({ recipients, at }) =>
      recipients.map(({ names, status, diagnostic }) => {
        const recipient = names.find((name) => known.has(name)) ?? names[0] ?? null
        return [recipient, { recipient, status, diagnostic, at }] as const
      }),
    )
    return [...new Map(recipients).values()].slice(-mostListed)
  })
  const addresses = new Set(found.flat().flatMap(({ recipient }) => recipient ?? []))
  const bounced = await bouncedAmong(db, mailbox, [...addresses])
  return found.map((those) => those.map((one) => ({ ...one, proven: bounced.has(one.recipient ?? '') })))
}
