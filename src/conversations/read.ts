import { isDeepStrictEqual } from 'node:util'
import { ifMissing, notFound } from '#/errors.ts'
import type { MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'
import type { ThreadCache } from '#/threads/cache.ts'
import type { Listed, MailboxIndex, MailboxPlace, WholeConversation } from '#/threads/mailbox/mailbox-index.ts'
import type { MailboxIndexes } from '#/threads/mailbox/mailbox-indexes.ts'
import { type Placed, uidsByFolder } from '#/threads/mailbox/placed.ts'
import { type RememberedTexts, type Texts, textsOf } from '#/threads/texts.ts'
import { anyFolder, conversationIds, rootOf } from '#/threads/thread-id.ts'
import type { LastMessage } from './awaiting.ts'
import { type Narrowing, narrowed, type OfMailbox } from './narrow.ts'
import { nameOf, summariesOf } from './summaries.ts'

export interface ConversationParts {
  readonly mailHost: MailHost
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

/** How often to read again if the mailbox changed in between. */
const attempts = 3

/** The requested conversations, newest first: a number of them from an offset or behind a place. */
export async function listConversations(
  parts: ConversationParts,
  of: OfMailbox,
  narrowing: Narrowing,
  at: { limit: number; from: MailboxPlace | number },
): Promise<{ total: number; data: ListedConversation[] }> {
  const { threads, texts } = parts
  const { mailbox } = of
  for (let attempt = 1; ; attempt++) {
    const { index, total, found } = await narrowed(parts, of, narrowing, (index, wanted) => ({
      ...{ index, total: index.total(wanted), found: index.page(wanted, at) },
    }))
    const { shown, complete } = await shownTexts(texts, mailbox, index, found)
    if (!complete && attempt < attempts) continue
    const idOf = conversationIds(threads.key, mailbox.mailboxId)
    const data = found.map((listed) => {
      const id = idOf(listed.conversation.root)
      const [oldest, newest, named] = shownOf(listed.conversation).map(({ folder, uid }) => shown.get(folder)?.get(uid))
      return {
        ...listed,
        id,
        subject: oldest?.subject ?? '',
        root: named?.root ?? null,
        preview: newest?.preview ?? '',
        last: lastMessage(listed.conversation, newest),
      }
    })
    return { total, data }
  }
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
async function shownTexts(texts: RememberedTexts, mailbox: MailboxRef, index: MailboxIndex, found: readonly Listed[]) {
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
 *  that no conversation of the mailbox has or had. */
export async function readConversation(
  { mailHost, mailboxIndexes, threads }: ConversationParts,
  mailbox: MailboxRef,
  id: string,
): Promise<ConversationWithMessages> {
  const hash = rootOf(threads.key, mailbox.mailboxId, anyFolder, id)
  const look = async (): Promise<Look> => {
    const index = await mailboxIndexes.upToDate(mailbox)
    const conversation = hash && index.find(hash)
    if (!conversation) throw notFound('conversation')
    return { conversation, unread: new Set(index.unread(conversation.messages).map(nameOf)) }
  }
  for (let [before, attempt] = [await look(), 1]; ; attempt++) {
    const { messages: placed, named, root } = before.conversation
    const messages = await summariesOf(mailHost, mailbox, placed)
    const after = await look()
    const settled = isOneState(before, after, messages)
    const { conversation } = before
    before = after
    if (!settled && attempt < attempts) continue
    const latest = messages.at(-1)
    if (!latest) throw notFound('conversation')
    return {
      ...{ id: conversationIds(threads.key, mailbox.mailboxId)(root), conversation, messages },
      last: lastMessage(conversation, latest && textsOf(latest)),
      root: messages.find((one) => nameOf(one) === nameOf(named))?.threadRoot ?? null,
    }
  }
}

/** A conversation in the index at one moment. */
interface Look {
  readonly conversation: WholeConversation
  readonly unread: ReadonlySet<string>
}

/** Whether messages that were read between two states of the index are consistent with both. */
function isOneState(before: Look, after: Look, messages: readonly Summary[]): boolean {
  const read = messages.map(({ folder, uid }) => ({ folder, uid }))
  if (!isDeepStrictEqual(read, after.conversation.messages)) return false
  return messages.every(
    (one) => one.seen !== before.unread.has(nameOf(one)) && one.seen !== after.unread.has(nameOf(one)),
  )
}
