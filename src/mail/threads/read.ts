import { isDeepStrictEqual } from 'node:util'
import type { Db } from '#/base/db/schema.ts'
import { ifMissing, notFound } from '#/base/errors.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Summary } from '#/mail/store/read.ts'
import type { LastMessage } from './awaiting.ts'
import type { ThreadCache } from './cache.ts'
import type {
  ConversationFilter,
  ConversationIndex,
  Listed,
  MailboxPlace,
  WholeConversation,
} from './mailbox/mailbox-index.ts'
import { OneFolder } from './mailbox/one-folder.ts'
import { type Placed, uidsByFolder } from './mailbox/placed.ts'
import type { MailboxIndexes } from './mailbox-indexes.ts'
import { type Narrowing, narrowed } from './narrow.ts'
import { anyFolder, rootOf, threadIds } from './public-ids.ts'
import { nameOf, summariesAtOnce, summariesOf } from './summaries.ts'
import { type RememberedTexts, type Texts, textsOf } from './texts.ts'

export interface ConversationDependencies {
  readonly db: Db
  readonly threads: ThreadCache
  readonly mailboxIndexes: MailboxIndexes
  readonly texts: RememberedTexts
}

export interface ListedConversation extends Listed {
  readonly id: string
  /** Of the message received first. */
  readonly subject: string
  /** Null if the first message has no such id. */
  readonly root: string | null
  /** Of the message received last. */
  readonly preview: string
  readonly last: LastMessage
}

export interface ConversationWithMessages {
  readonly id: string
  readonly root: string | null
  readonly conversation: WholeConversation
  /** Oldest first; at least one. */
  readonly messages: readonly Summary[]
  readonly last: LastMessage
}

/** The conversations of a mailbox over its folders, or those of one folder by itself. */
export interface Within {
  readonly mailbox: MailboxRef
  readonly only?: string | undefined
}

/** How often to read again if the mailbox changed in between. */
const attempts = 3

/** The requested conversations, newest first: a number of them from an offset or behind a place. */
export async function listConversations(
  parts: ConversationDependencies,
  { narrowing = {}, ...within }: Within & { readonly narrowing?: Narrowing },
  at: { limit: number; from: MailboxPlace | number },
): Promise<{ total: number; data: ListedConversation[] }> {
  const { mailbox, only } = within
  const look = (index: ConversationIndex, wanted: ConversationFilter) => ({
    ...{ index, total: index.total(wanted), found: index.page(wanted, at) },
  })
  for (let attempt = 1; ; attempt++) {
    const { index, total, found } =
      only === undefined
        ? await narrowed(parts, mailbox, narrowing, look)
        : look(await indexOf(parts, within), narrowing)
    const { shown, complete } = await shownTexts(parts.texts, mailbox, index, found)
    if (!complete && attempt < attempts) continue
    const idOf = idsWithin(parts, within)
    const data = found.map((listed) => {
      const [oldest, newest, named] = shownOf(listed.conversation).map(({ folder, uid }) => shown.get(folder)?.get(uid))
      return {
        ...listed,
        id: idOf(listed.conversation.root),
        subject: oldest?.subject ?? '',
        root: named?.root ?? null,
        preview: newest?.preview ?? '',
        last: lastMessage(listed.conversation, newest),
      }
    })
    return { total, data }
  }
}

async function indexOf({ threads, mailboxIndexes }: ConversationDependencies, { mailbox, only }: Within) {
  if (only === undefined) return mailboxIndexes.upToDate(mailbox)
  return new OneFolder(only, await threads.upToDate(mailbox, only))
}

function idsWithin({ threads }: ConversationDependencies, { mailbox, only = anyFolder }: Within) {
  return threadIds(threads.key, mailbox.mailboxId, only)
}

/** Unknown for a message that was deleted meanwhile. */
function lastMessage({ messages }: WholeConversation, texts: Texts | undefined): LastMessage {
  return { folder: messages.at(-1)?.folder ?? '', author: texts?.author ?? '', automatic: texts?.automatic ?? true }
}

/** The messages of a conversation whose texts a list shows. */
function shownOf({ messages, named }: WholeConversation): Placed[] {
  return [messages.at(0) ?? named, messages.at(-1) ?? named, named]
}

/** By folder and uid. */
async function shownTexts(
  texts: RememberedTexts,
  mailbox: MailboxRef,
  index: ConversationIndex,
  found: readonly Listed[],
) {
  const wanted = uidsByFolder(found.flatMap(({ conversation }) => shownOf(conversation)))
  const shown = new Map<string, ReadonlyMap<number, Texts>>()
  let complete = true
  for (const { name: folder, state } of index.folders) {
    const uids = new Set(wanted.get(folder))
    if (uids.size === 0) continue
    const read = await texts.of(mailbox, folder, state.uidValidity, uids).catch(ifMissing(new Map<number, Texts>()))
    shown.set(folder, read)
    complete &&= read.size === uids.size
  }
  return { shown, complete }
}

/** One conversation with its messages, in one consistent state unless they change all the time. Throws `not_found` for an id
 *  that no conversation there has or had. */
export async function readConversation(
  parts: ConversationDependencies,
  within: Within,
  id: string,
): Promise<ConversationWithMessages> {
  const { mailbox, only = anyFolder } = within
  const hash = rootOf(parts.threads.key, mailbox.mailboxId, only, id)
  const what = only === anyFolder ? 'conversation' : 'thread'
  const look = async (): Promise<Look> => {
    const index = await indexOf(parts, within)
    const conversation = hash && index.find(hash)
    if (!conversation) throw notFound(what)
    const states = index.folders.map(({ name, state }) => ({ name, state }))
    return { conversation, states, unread: new Set(index.unread(conversation.messages).map(nameOf)) }
  }
  for (let [before, attempt] = [await look(), 1]; ; attempt++) {
    const { messages: placed, named, root } = before.conversation
    const messages = await summariesOf(parts.db, mailbox, placed)
    const after = await look()
    const settled = isOneState(before, after, messages)
    const { conversation } = before
    before = after
    if (!settled && attempt < attempts) continue
    const latest = messages.at(-1)
    if (!latest) throw notFound(what)
    return {
      ...{ id: idsWithin(parts, within)(root), conversation, messages },
      last: lastMessage(conversation, textsOf(latest)),
      root: messages.find((one) => nameOf(one) === nameOf(named))?.threadRoot ?? null,
    }
  }
}

/** A conversation in the index at one moment. */
interface Look {
  readonly conversation: WholeConversation
  readonly states: readonly object[]
  readonly unread: ReadonlySet<string>
}

/** Whether messages that were read between two looks are consistent with both. Many messages are read in several statements, and the
 *  index does not have all flags; then the folders must be unchanged. */
function isOneState(before: Look, after: Look, messages: readonly Summary[]): boolean {
  if (!isDeepStrictEqual(messages.map(nameOf), after.conversation.messages.map(nameOf))) return false
  const isAs = ({ unread }: Look) => messages.every((one) => one.seen !== unread.has(nameOf(one)))
  if (!isAs(before) || !isAs(after)) return false
  return messages.length <= summariesAtOnce || isDeepStrictEqual(before.states, after.states)
}
