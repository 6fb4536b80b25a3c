import type { Db } from '#/db/schema.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { Owner } from '#/organizations/owner.ts'
import type { MailboxRef, Stored, Summary } from '#/ports/mail-host.ts'
import { type OpenedMessage, presentItem, presentMessage } from './message.ts'
import { ownFilters, visibleKeywords } from './queries.ts'
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

/** Messages as the organization or a member sees them: without the labels of other members. */
export async function itemsFor(
  { db, hostname }: Parts,
  owner: Owner,
  summaries: readonly Summary[],
): Promise<ListedMessage[]> {
  const keywords = new Set(summaries.flatMap((summary) => summary.keywords))
  const visible = await visibleKeywords(db, owner, [...keywords])
  return summaries.map((summary) => presentItem(summary, { visible, hostname }))
}

/** The same, of one folder, with the conversations that they belong to. */
export async function threadedItemsFor(
  parts: Parts & { readonly threads: ThreadNames },
  { owner, mailbox, folder }: { owner: Owner; mailbox: MailboxRef; folder: string },
  summaries: readonly Summary[],
): Promise<MessageItem[]> {
  const items = await itemsFor(parts, owner, summaries)
  const uids = items.map(({ uid }) => uid)
  const ids = await parts.threads.idsOf(mailbox, folder, uids)
  return items.map((item) => ({ ...item, thread_id: ids.get(item.uid) ?? null }))
}

/** One whole message, without the labels and filters of other members. */
export async function messageFor(
  { db, hostname, reader, threads }: Parts & { readonly reader: MessageReader; readonly threads: ThreadNames },
  { owner, mailbox }: { owner: Owner; mailbox: MailboxRef },
  stored: Stored,
  raw: Buffer,
): Promise<OpenedMessage & { thread_id: string | null }> {
  const { folder, uid, keywords } = stored.summary
  const visible = await visibleKeywords(db, owner, keywords)
  const personal = stored.filteredBy.filter((one) => one.personal).map(({ filter_id }) => filter_id)
  const filters = await ownFilters(db, owner, personal)
  const message = await presentMessage(stored, raw, reader, { visible, filters, hostname })
  return { ...message, thread_id: (await threads.idsOf(mailbox, folder, [uid])).get(uid) ?? null }
}
