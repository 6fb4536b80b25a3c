import type { Tx } from '#/base/db/schema.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { threadIds } from '#/formats/mime/header/references.ts'
import { bareReceivedField } from '#/formats/mime/header/trace.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import { concealed } from '#/mail/mailboxes/conceal.ts'
import { appendCopies } from '#/mail/store/append-copies.ts'
import { referencesTo } from '#/out/compose/answer.ts'
import type { News } from '#/out/delivery/dependencies.ts'
import { noteRefusal } from '#/out/forwarding/arrival.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import { openedPiece } from '#/out/queue/sealed.ts'
import { type About, notice } from './notice.ts'

/** What notices depend on. */
export interface NotifierDependencies {
  readonly idKey: IdHashKey
  readonly reader: MessageReader
  /** Encrypts notices for Private mailboxes. */
  readonly openPgp: OpenPgp
  /** The key that opens queued mail. */
  readonly mailKey: SealingKey
  readonly hostname: string
}

/** Stores a notice in the inbox of the mailbox that sent the message, in the transaction in which delivery fails. There is
 *  none for a deleted mailbox or the null sender, so that no notice answers another. There is none for forwarded mail
 *  either: the mailbox has its copy, and the author did not choose the destination. */
export function notifier({ idKey, reader, openPgp, mailKey, hostname }: NotifierDependencies) {
  return async (tx: Tx, message: QueuedMessage, news: News, now: Date): Promise<void> => {
    const { organizationId, mailboxId, sender } = message
    if (mailboxId === null || sender === '') return
    if (message.kind === 'relayed') {
      // A server that refuses mail for DMARC may accept other mail.
      if ((message.verdict?.disposition ?? 'none') === 'none') await noteRefusals(tx, mailboxId, news, now)
      return
    }
    const about = await aboutMessage(tx, mailKey, message.id)
    const notified = await reader.message(notice(message, news, { hostname, to: sender, about, at: now }))
    const mailbox = { organizationId, mailboxId }
    const received = bareReceivedField({ by: hostname, protocol: 'local', id: message.id, at: now })
    const kept = (await concealed({ db: tx, openPgp }, { received, at: now }, notified, mailbox)) ?? notified
    const copy = { receivedAt: now, seen: false, flagged: false, keywords: [], filteredBy: [] }
    await appendCopies(tx, idKey, [{ mailbox, folder: 'inbox', message: kept, ...copy }])
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

/** Octets of the message's header that a notice shows. */
const mostHeader = 16 * 1024

async function aboutMessage(tx: Tx, key: SealingKey, id: string): Promise<About> {
  const piece = await tx
    .selectFrom('outbound_pieces')
    .select('bytes')
    .where('message_id', '=', id)
    .where('number', '=', 0)
    .executeTakeFirstOrThrow()
  const start = openedPiece(key, id, 0, piece.bytes).subarray(0, mostHeader)
  const end = start.indexOf('\r\n\r\n')
  const header = end < 0 ? start : start.subarray(0, end + 2)
  const { headers } = readHeaders(header)
  return {
    header: header.toString(),
    references: referencesTo(threadIds(headers)),
    subject: headers.text('subject'),
  }
}
