import { ifMissing, Refusal } from '#/base/errors.ts'
import { Slots } from '#/base/event-loop/slots.ts'
import { type Ids, type IdsOf, noIds } from '#/mail/messages/visible.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { ThreadCache } from './cache.ts'
import type { MailboxIndex } from './mailbox/mailbox-index.ts'
import { type Placed, uidsByFolder } from './mailbox/placed.ts'
import { leftOut, type MailboxIndexes } from './mailbox-indexes.ts'
import { conversationIds, threadIds } from './public-ids.ts'

/** Messages that are read for the ids of one response, at most: some 200 ms. */
const mostRead = 20_000

const mailboxesAtOnce = 4

/** Names the conversations of messages. */
export class ConversationNames {
  readonly #threads: ThreadCache
  readonly #mailboxes: MailboxIndexes
  #reading: Promise<void> | undefined

  constructor(parts: {
    readonly threads: ThreadCache
    readonly mailboxIndexes: MailboxIndexes
  }) {
    this.#threads = parts.threads
    this.#mailboxes = parts.mailboxIndexes
  }

  /** Reads the folders of these messages whatever their size. */
  readonly of: IdsOf = async (mailbox, messages) => {
    const folders = new Set(messages.map(({ folder }) => folder))
    if (!connects(folders)) return this.#ids(mailbox, messages, false)
    const toRead = await this.#toRead(mailbox, folders)
    const whole = toRead !== undefined && total(toRead) <= mostRead
    if (toRead && !whole) this.#readLater(mailbox, folders)
    return this.#ids(mailbox, messages, whole)
  }

  /** Of messages of several mailboxes. Null too where too many messages would have to be read for all of them. */
  async ofPage(messages: readonly (Placed & { readonly mailbox: MailboxRef })[]): Promise<Ids[]> {
    const ids = new Map<unknown, Ids>()
    const slots = new Slots(mailboxesAtOnce)
    let left = mostRead
    const name = async (some: typeof messages) => {
      using _ = await slots.enter()
      const [{ mailbox }] = some as [(typeof some)[number]]
      const folders = new Set(some.map(({ folder }) => folder))
      const toRead = await this.#toRead(mailbox, folders)
      if (!toRead) return
      const fits = total(toRead) <= left
      if (fits) left -= total(toRead)
      else this.#readLater(mailbox, folders)
      const readable = fits ? some : some.filter(({ folder }) => !toRead.has(folder))
      const found = await this.#ids(mailbox, readable, fits && connects(folders)).catch(ifRefused([]))
      for (const [at, message] of readable.entries()) ids.set(message, found[at] ?? noIds)
    }
    await Promise.all(
      Map.groupBy(messages, ({ mailbox }) => mailbox.mailboxId)
        .values()
        .map(name),
    )
    return messages.map((message) => ids.get(message) ?? noIds)
  }

  /** In the order of the messages; with the conversations over folders if the whole mailbox may be read. */
  async #ids(mailbox: MailboxRef, messages: readonly Placed[], whole: boolean): Promise<Ids[]> {
    const uidsIn = uidsByFolder(messages)
    // Another folder that cannot be read is no fault of the message's.
    const index = whole ? await this.#mailboxes.upToDate(mailbox).catch(ifRefused(undefined)) : undefined
    const found = index ? this.#idsWithin(index, mailbox, uidsIn) : new Map<string, Map<number, Ids>>()
    for (const [folder, uids] of uidsIn) {
      if (found.has(folder)) continue
      const threads = await this.#threads.idsOf(mailbox, folder, uids).catch(ifMissing(new Map<number, string>()))
      found.set(folder, new Map([...threads].map(([uid, id]) => [uid, { thread_id: id, conversation_id: null }])))
    }
    return messages.map(({ folder, uid }) => found.get(folder)?.get(uid) ?? noIds)
  }

  /** By folder, without those that the index does not have. */
  #idsWithin(index: MailboxIndex, { mailboxId }: MailboxRef, uidsIn: ReadonlyMap<string, readonly number[]>) {
    const { key } = this.#threads
    const conversation = conversationIds(key, mailboxId)
    const found = new Map<string, Map<number, Ids>>()
    for (const [folder, uids] of uidsIn) {
      const thread = threadIds(key, mailboxId, folder)
      const roots = index.roots(folder, uids)
      if (!roots) continue
      const ids = [...roots].map(([uid, { inFolder, whole }]) => {
        return [uid, { thread_id: thread(inFolder), conversation_id: conversation(whole) }] as const
      })
      found.set(folder, new Map(ids))
    }
    return found
  }

  /** How many messages of folders that are not in memory have to be read, at most: as many as uids were given. Counts these
   *  folders, and all that are connected with them. Undefined if that cannot be read. */
  async #toRead(mailbox: MailboxRef, folders: ReadonlySet<string>): Promise<Map<string, number> | undefined> {
    const connected = connects(folders)
    if (this.#mailboxes.isHeld(mailbox) && folders.isDisjointFrom(leftOut)) return new Map()
    const states = await this.#mailboxes.folderStates(mailbox).catch(ifRefused(undefined))
    const missing = states?.filter(({ name }) => {
      return (folders.has(name) || (connected && !leftOut.has(name))) && !this.#threads.has(mailbox, name)
    })
    return missing && new Map(missing.map(({ name, state }) => [name, state.uidNext - 1]))
  }

  /** Resolves once nothing is read for later requests. */
  async idle(): Promise<void> {
    await this.#reading
  }

  /** For later requests, of one mailbox at a time. */
  #readLater(mailbox: MailboxRef, folders: ReadonlySet<string>): void {
    const read = async () => {
      if (connects(folders)) await this.#mailboxes.upToDate(mailbox)
      for (const folder of folders.intersection(leftOut)) await this.#threads.upToDate(mailbox, folder)
    }
    this.#reading ??= read()
      // Whoever needs them meets the error.
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined
      })
  }
}

/** Whether messages of these folders belong to conversations over folders. */
function connects(folders: ReadonlySet<string>): boolean {
  return !folders.isSubsetOf(leftOut)
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** For `catch`: replaces a refusal by `instead`, and rethrows other errors. */
function ifRefused<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Refusal) return instead
    throw error
  }
}
