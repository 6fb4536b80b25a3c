import type { Db } from '#/db/schema.ts'
import { invalid } from '#/errors.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { Owner } from '#/organizations/owner.ts'
import type { MailboxRef, Stored, Summary } from '#/ports/mail-host.ts'
import { type OpenedMessage, presentItem, presentMessage } from './message.ts'
import { ownFilters, visibleKeywords } from './queries.ts'
import type { ListedMessage, MessageItem } from './schemas.ts'

/** Ids of the conversations of messages, by uid; without messages that have left the folder. */
export type IdsOf = (mailbox: MailboxRef, folder: string, uids: readonly number[]) => Promise<Map<number, Ids>>

type Ids = Pick<MessageItem, 'thread_id' | 'conversation_id'>

const none: Ids = { thread_id: null, conversation_id: null }

/** In the order of the messages. */
export async function idsOfEach(
  idsOf: IdsOf,
  messages: readonly { readonly mailbox: MailboxRef; readonly folder: string; readonly uid: number }[],
): Promise<Ids[]> {
  const placeOf = (one: (typeof messages)[number]) => `${one.mailbox.mailboxId} ${one.folder}`
  const found = new Map<string, Map<number, Ids>>()
  for (const [place, some] of Map.groupBy(messages, placeOf)) {
    const uids = some.map(({ uid }) => uid)
    for (const { mailbox, folder } of some.slice(0, 1)) found.set(place, await idsOf(mailbox, folder, uids))
  }
  return messages.map((one) => found.get(placeOf(one))?.get(one.uid) ?? none)
}

interface Parts {
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
  { db, hostname }: Parts,
  owner: Owner,
  summaries: readonly Summary[],
): Promise<ListedMessage[]> {
  const keywords = new Set(summaries.flatMap((summary) => summary.keywords))
  const visible = await visibleKeywords(db, owner, [...keywords])
  return summaries.map((summary) => presentItem(summary, { visible, hostname }))
}

/** The same, of one mailbox, with the conversations that they belong to. */
export async function threadedItemsFor(
  parts: Parts & { readonly idsOf: IdsOf },
  { owner, mailbox }: { owner: Owner; mailbox: MailboxRef },
  summaries: readonly Summary[],
): Promise<MessageItem[]> {
  const items = await itemsFor(parts, owner, summaries)
  const ids = await idsOfEach(
    parts.idsOf,
    items.map(({ folder, uid }) => ({ mailbox, folder, uid })),
  )
  return items.map((item, at) => ({ ...item, ...(ids[at] ?? none) }))
}

/** One whole message, without the labels and filters of other members. */
export async function messageFor(
  { db, hostname, reader, idsOf }: Parts & { readonly reader: MessageReader; readonly idsOf: IdsOf },
  { owner, mailbox }: { owner: Owner; mailbox: MailboxRef },
  stored: Stored,
  raw: Buffer,
): Promise<OpenedMessage & Ids> {
  const { folder, uid, keywords } = stored.summary
  const visible = await visibleKeywords(db, owner, keywords)
  const personal = stored.filteredBy.filter((one) => one.personal).map(({ filter_id }) => filter_id)
  const filters = await ownFilters(db, owner, personal)
  const message = await presentMessage(stored, raw, reader, { visible, filters, hostname })
  const ids = (await idsOf(mailbox, folder, [uid])).get(uid)
  return { ...message, ...(ids ?? none) }
}
