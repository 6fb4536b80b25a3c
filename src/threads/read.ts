import { isDeepStrictEqual } from 'node:util'
import { notFound } from '#/errors.ts'
import type { FolderState } from '#/ports/folder-changes.ts'
import type { ListPlace, MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'
import type { ThreadCache } from './cache.ts'
import type { Conversation } from './index/thread-index.ts'
import { summariesAtOnce, summariesOf } from './summaries.ts'
import type { RememberedTexts, Texts } from './texts.ts'
import { rootOf, threadIds } from './thread-id.ts'

export interface ThreadParts {
  readonly mailHost: MailHost
  readonly threads: ThreadCache
  readonly texts: RememberedTexts
}

export interface ListedThread {
  readonly id: string
  readonly conversation: Conversation
  /** Of the message received first. */
  readonly subject: string
  /** Null if the first message has no Message-ID and names none. */
  readonly root: string | null
  /** Of the message received last. */
  readonly preview: string
}

export interface ThreadWithMessages {
  readonly id: string
  readonly root: string | null
  /** Oldest first; at least one. */
  readonly messages: readonly Summary[]
}

/** How often to read again if the folder changed between reading the index and the messages. */
const attempts = 3

/** A folder's conversations, newest first, after so many or behind a place. */
export async function listThreads(
  { threads, texts }: ThreadParts,
  mailbox: MailboxRef,
  folder: string,
  { limit, from }: { limit: number; from: ListPlace | number },
): Promise<{ total: number; data: ListedThread[] }> {
  for (let attempt = 1; ; attempt++) {
    const { index, state } = await threads.upToDate(mailbox, folder)
    const { total } = index
    const conversations = index.page(limit, typeof from === 'number' ? from : index.offsetBehind(from))
    const wanted = new Set(conversations.flatMap(shownUids))
    const shown = await texts.of(mailbox, folder, state.uidValidity, wanted)
    if (shown.size < wanted.size && attempt < attempts) continue
    const name = threadIds(threads.key, mailbox.mailboxId, folder)
    return { total, data: conversations.map((conversation) => listed(name(conversation.root), conversation, shown)) }
  }
}

/** The messages of a conversation whose texts a list shows. */
function shownUids({ uids, lowestUid }: Conversation): number[] {
  return [uids.at(0) ?? lowestUid, uids.at(-1) ?? lowestUid, lowestUid]
}

function listed(id: string, conversation: Conversation, shown: ReadonlyMap<number, Texts>): ListedThread {
  const [oldest, newest, lowest] = shownUids(conversation).map((uid) => shown.get(uid))
  return {
    id,
    conversation,
    subject: oldest?.subject ?? '',
    root: lowest?.root ?? null,
    preview: newest?.preview ?? '',
  }
}

/** One conversation with its messages, in one consistent state unless they change all the time. Throws `not_found` for an id that
 *  no conversation in this folder has or had. */
export async function readThread(
  { mailHost, threads }: ThreadParts,
  mailbox: MailboxRef,
  folder: string,
  id: string,
): Promise<ThreadWithMessages> {
  const hash = rootOf(threads.key, mailbox.mailboxId, folder, id)
  const look = async (): Promise<Look> => {
    const { index, state } = await threads.upToDate(mailbox, folder)
    const conversation = hash && index.find(hash)
    if (!conversation) throw notFound('thread')
    return { conversation, state, unread: new Set(index.unread(conversation.uids)) }
  }
  for (let [before, attempt] = [await look(), 1]; ; attempt++) {
    const { uids, lowestUid, root } = before.conversation
    const messages = await summariesOf(mailHost, mailbox, folder, uids)
    const after = await look()
    const settled = isOneState(before, after, messages)
    before = after
    if (!settled && attempt < attempts) continue
    if (messages.length === 0) throw notFound('thread')
    return {
      id: threadIds(threads.key, mailbox.mailboxId, folder)(root),
      root: messages.find(({ uid }) => uid === lowestUid)?.threadRoot ?? null,
      messages,
    }
  }
}

/** A conversation in the index at one time. */
interface Look {
  readonly conversation: Conversation
  readonly state: FolderState
  readonly unread: ReadonlySet<number>
}

/** Whether messages that were read between two looks are consistent: the conversation is the same in both. Many messages are read
 *  in several requests, and the index does not have all flags; then the whole folder must be unchanged. */
function isOneState(before: Look, after: Look, messages: readonly Summary[]): boolean {
  const { uids } = after.conversation
  if (uids.length !== messages.length || uids.some((uid, at) => uid !== messages[at]?.uid)) return false
  if (messages.some(({ uid, seen }) => seen === before.unread.has(uid) || seen === after.unread.has(uid))) return false
  return messages.length <= summariesAtOnce || isDeepStrictEqual(before.state, after.state)
}
