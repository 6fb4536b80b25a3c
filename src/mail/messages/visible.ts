import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { MailboxNamed } from '#/mail/mailboxes/readable.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Stored, Summary } from '#/mail/store/read.ts'
import { type OpenedMessage, presentItem, presentMessage } from './message.ts'
import { ownFilters, visibleKeywords } from './queries.ts'
import type { ListedMessage, MessageItem } from './schemas.ts'

/** The conversations that messages of a mailbox belong to, in the order of the messages. */
export type IdsOf = (mailbox: MailboxRef, messages: readonly { folder: string; uid: number }[]) => Promise<Ids[]>

export type Ids = Pick<MessageItem, 'thread_id' | 'conversation_id'>

/** Of a message that has left its folder. */
export const noIds: Ids = { thread_id: null, conversation_id: null }

interface Dependencies {
  readonly db: Db
  readonly hostname: string
}

/** Refuses to list by a label that the caller may not see. */
export async function assertVisible(db: Db, owner: Owner, label: string | undefined): Promise<void> {
  if (label === undefined || (await visibleKeywords(db, owner, [label])).has(label)) return
  throw invalid('label', `No label has the keyword ${JSON.stringify(label)}`)
}

/** Messages as the organization or a member sees them: without the labels of other members. */
export async function itemsFor(
  { db, hostname }: Dependencies,
  owner: Owner,
  summaries: readonly Summary[],
): Promise<ListedMessage[]> {
  const keywords = new Set(summaries.flatMap((summary) => summary.keywords))
  const visible = await visibleKeywords(db, owner, [...keywords])
  return summaries.map((summary) => presentItem(summary, { visible, hostname }))
}

/** The same, of one mailbox, with the conversations that they belong to. */
export async function threadedItemsFor(
  parts: Dependencies & { readonly idsOf: IdsOf },
  { owner, mailbox }: { owner: Owner; mailbox: MailboxNamed },
  summaries: readonly Summary[],
): Promise<MessageItem[]> {
  const items = await itemsFor(parts, owner, summaries)
  const ids = await parts.idsOf(mailbox, items)
  return items.map((item, at) => ({ mailbox: mailbox.address, ...item, ...(ids[at] ?? noIds) }))
}

/** The same of several mailboxes, in the order of the messages. */
export async function itemsNamed(
  parts: Dependencies & { readonly idsOf: IdsOf },
  owner: Owner,
  named: readonly { readonly mailbox: MailboxNamed; readonly summary: Summary }[],
): Promise<MessageItem[]> {
  const items = new Map<string, MessageItem>()
  for (const those of Map.groupBy(named, ({ mailbox }) => mailbox.mailboxId).values()) {
    const [{ mailbox }] = those as [(typeof those)[number]]
    const summaries = those.map(({ summary }) => summary)
    for (const item of await threadedItemsFor(parts, { owner, mailbox }, summaries)) items.set(item.id, item)
  }
  return named.flatMap(({ summary }) => items.get(summary.id) ?? [])
}

/** One whole message, without the labels and filters of other members. */
export async function messageFor(
  { db, hostname, reader, idsOf }: Dependencies & { readonly reader: MessageReader; readonly idsOf: IdsOf },
  { owner, mailbox }: { owner: Owner; mailbox: MailboxNamed },
  stored: Stored,
  raw: Buffer,
): Promise<OpenedMessage & Ids & Pick<MessageItem, 'mailbox'>> {
  const { folder, uid, keywords } = stored.summary
  const visible = await visibleKeywords(db, owner, keywords)
  const personal = stored.filteredBy.filter((one) => one.personal).map(({ filter_id }) => filter_id)
  const filters = await ownFilters(db, owner, personal)
  const message = await presentMessage(stored, raw, reader, { visible, filters, hostname })
  const [ids = noIds] = await idsOf(mailbox, [{ folder, uid }])
  return { mailbox: mailbox.address, ...message, ...ids }
}
