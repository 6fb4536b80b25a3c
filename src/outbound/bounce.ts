import type { Tx } from '#/db/schema.ts'
import { noteRefusal } from '#/forwarding/arrival.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { News } from './attempt.ts'
import type { Held } from './held.ts'
import { notice } from './notice.ts'

/** What telling a sender stands on. */
export interface NotifierParts {
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly hostname: string
}

/** Puts a notice into the inbox of the mailbox that a message came from, with the transaction that gives up. Nobody is
 *  told where the mailbox is gone, nor of what has the null sender, so that no notice is ever answered by another. Of what
 *  was forwarded the mailbox has its copy, and its author has nothing to do with where it went. */
export function notifier({ mailHost, reader, hostname }: NotifierParts) {
  return async (tx: Tx, message: Held, news: News, now: Date): Promise<void> => {
    const { organizationId, mailboxId, sender } = message
    if (mailboxId === null || sender === '') return
    if (message.kind === 'relayed') return await noteRefusals(tx, mailboxId, news, now)
    const header = await headerOf(tx, message.id)
    const raw = notice(message, news, { hostname, to: sender, header, at: now })
    const copy = { receivedAt: now, seen: false, flagged: false, keywords: [], filteredBy: [] }
    await mailHost.append(tx, [
      { mailbox: { organizationId, mailboxId }, folder: 'inbox', message: await reader.message(raw), ...copy },
    ])
  }
}

async function noteRefusals(tx: Tx, mailboxId: string, { kind, about }: News, now: Date): Promise<void> {
  if (kind !== 'failed') return
  for (const { outcome } of about) {
    const { recipient, result, reason, reply } = outcome
    if (result !== 'refused') continue
    await noteRefusal(tx, mailboxId, recipient, reply === null ? reason : `${reason} (${reply})`, now)
  }
}

/** What is shown of a message's header, in octets: enough to know it by. */
const mostHeader = 16 * 1024

async function headerOf(tx: Tx, messageId: string): Promise<string> {
  const { bytes } = await tx
    .selectFrom('outbound_pieces')
    .select('bytes')
    .where('message_id', '=', messageId)
    .where('number', '=', 0)
    .executeTakeFirstOrThrow()
  const text = bytes.toString('utf8', 0, mostHeader)
  const end = text.indexOf('\r\n\r\n')
  return end < 0 ? text : text.slice(0, end + 2)
}
