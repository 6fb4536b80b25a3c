import type { Db } from '#/db/schema.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef, Stored, Summary } from '#/ports/mail-host.ts'
import { type OpenedMessage, presentItem, presentMessage } from './message.ts'
import { organizationKeywords } from './queries.ts'
import type { ListedMessage, MessageItem } from './schemas.ts'

/** Names the conversations of messages. */
export interface ThreadNames {
  /** By uid, without messages that have left the folder. */
  idsOf(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Map<number, string>>
}

interface Parts {
  readonly db: Db
  readonly hostname: string
}

/** Messages as the organization sees them: without its members' own labels. */
export async function itemsFor(
  { db, hostname }: Parts,
  organizationId: string,
  summaries: readonly Summary[],
): Promise<ListedMessage[]> {
  const keywords = new Set(summaries.flatMap((summary) => summary.keywords))
  const visible = await organizationKeywords(db, organizationId, [...keywords])
  return summaries.map((summary) => presentItem(summary, { visible, hostname }))
}

/** The same, of one folder, with the conversations that they belong to. */
export async function threadedItemsFor(
  parts: Parts & { readonly threads: ThreadNames },
  mailbox: MailboxRef,
  folder: string,
  summaries: readonly Summary[],
): Promise<MessageItem[]> {
  const items = await itemsFor(parts, mailbox.organizationId, summaries)
  const uids = items.map(({ uid }) => uid)
  const ids = await parts.threads.idsOf(mailbox, folder, uids)
  return items.map((item) => ({ ...item, thread_id: ids.get(item.uid) ?? null }))
}

/** One whole message, without its member's own labels and filters. */
export async function messageFor(
  { db, hostname, reader, threads }: Parts & { readonly reader: MessageReader; readonly threads: ThreadNames },
  mailbox: MailboxRef,
  stored: Stored,
  raw: Buffer,
): Promise<OpenedMessage & { thread_id: string | null }> {
  const { folder, uid, keywords } = stored.summary
  const visible = await organizationKeywords(db, mailbox.organizationId, keywords)
  const message = await presentMessage(stored, raw, reader, { visible, hostname })
  return { ...message, thread_id: (await threads.idsOf(mailbox, folder, [uid])).get(uid) ?? null }
}
