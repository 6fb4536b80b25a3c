import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { unlessDeleted } from '#/base/errors.ts'
import { idHash } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { authorDomains, isPersonal } from '#/formats/mime/report/personal.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readStored, type Summary } from '#/mail/store/read.ts'
import type { ThreadCache } from '#/mail/threads/cache.ts'
import type { MailboxIndexes } from '#/mail/threads/mailbox-indexes.ts'
import { summariesOf } from '#/mail/threads/summaries.ts'

export interface AnswerDependencies {
  readonly db: Db
  readonly threads: Pick<ThreadCache, 'key'>
  readonly mailboxIndexes: Pick<MailboxIndexes, 'upToDate'>
}

/** The newest messages that are looked at, and as much of each as may hold its header. */
const mostRead = 20
const headerOctets = 256 * 1024

/** Whether the mailbox has an answer to one of the messages with these ids, that came after the last of them. What counts as an
 *  answer is what cancels a scheduled message (docs/reference/scheduled.md#how-do-i-send-only-if-nobody-answers). */
export async function isAnswered(
  parts: AnswerDependencies,
  mailbox: MailboxRef,
  ids: readonly string[],
): Promise<boolean> {
  const index = await parts.mailboxIndexes.upToDate(mailbox)
  const named = new Set(ids)
  for (const id of named) {
    const conversation = index.find(idHash(parts.threads.key, id))
    if (!conversation) continue
    const messages = await summariesOf(parts.db, mailbox, conversation.messages)
    const isNamed = ({ messageId }: Summary) => messageId !== null && named.has(messageId)
    const since = Math.max(
      ...messages.filter(isNamed).map(({ receivedAt }) => receivedAt.getTime()),
      Number.NEGATIVE_INFINITY,
    )
    const later = messages.filter((one) => !isNamed(one) && one.folder !== 'sent' && one.receivedAt.getTime() >= since)
    for (const one of later.slice(-mostRead)) if (await answers(parts, mailbox, one, named)) return true
  }
  return false
}

async function answers(
  { db }: AnswerDependencies,
  mailbox: MailboxRef,
  { folder, uid }: Summary,
  named: ReadonlySet<string>,
): Promise<boolean> {
  const message = await headerOf(db, mailbox, folder, uid).catch(unlessDeleted)
  if (!message || ![...message.strong, ...message.weak].some((id) => named.has(id))) return false
  if (!isPersonal(message) || message.headers.first('return-path')?.trim() === '<>') return false
  const { rows } = await sql`
    select from domains where organization_id = ${mailbox.organizationId}
      and domain = any (${authorDomains(message)}::text[]) limit 1`.execute(db)
  return rows.length === 0
}

async function headerOf(db: Db, mailbox: MailboxRef, folder: string, uid: number): Promise<Message | undefined> {
  const stored = await readStored(db, mailbox, folder, uid)
  if (!stored) return undefined
  const pieces: Buffer[] = []
  let octets = 0
  for await (const piece of stored.pieces()) {
    pieces.push(piece)
    octets += piece.length
    if (octets >= headerOctets) break
  }
  return readMessage(Buffer.concat(pieces).subarray(0, headerOctets))
}
