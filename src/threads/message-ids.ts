import { Refusal } from '#/errors.ts'
import type { IdsOf } from '#/messages/visible.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { ThreadCache } from './cache.ts'
import { leftOut, type MailboxIndexes } from './mailbox/mailbox-indexes.ts'
import { conversationIds } from './thread-id.ts'

/** Messages that are read for the conversations over folders, at most: some 200 ms. */
const mostRead = 20_000

/** Names the conversations of messages. */
export class ConversationNames {
  readonly #mailHost: Pick<MailHost, 'folderStates'>
  readonly #threads: ThreadCache
  readonly #mailboxes: MailboxIndexes
  #isReading = false

  constructor(parts: {
    readonly mailHost: Pick<MailHost, 'folderStates'>
    readonly threads: ThreadCache
    readonly mailboxIndexes: MailboxIndexes
  }) {
    this.#mailHost = parts.mailHost
    this.#threads = parts.threads
    this.#mailboxes = parts.mailboxIndexes
  }

  /** By uid, without messages that have left the folder, whose messages are read if they are not in memory. */
  readonly of: IdsOf = async (mailbox, folder, uids) => {
    if (uids.length === 0) return new Map()
    if (leftOut.has(folder)) return this.#ids(mailbox, folder, uids, false)
    const ofFolders = await this.#toRead(mailbox, folder)
    const all = ofFolders !== undefined && ofAll(ofFolders) <= mostRead
    if (ofFolders && !all) this.#readLater(mailbox)
    return this.#ids(mailbox, folder, uids, all)
  }

  /** The same for one page of messages of several mailboxes: without those of folders for which too many messages would have
   *  to be read for the page. */
  ofPage(): IdsOf {
    let left = mostRead
    return async (mailbox, folder, uids) => {
      const ofFolders = await this.#toRead(mailbox, folder)
      if (!ofFolders) return new Map()
      const ofFolder = ofFolders.get(folder) ?? 0
      const all = !leftOut.has(folder) && ofAll(ofFolders) <= left
      if (!all && !leftOut.has(folder)) this.#readLater(mailbox)
      if (ofFolder > left) return new Map()
      left -= all ? ofAll(ofFolders) : ofFolder
      return this.#ids(mailbox, folder, uids, all).catch(nothingIfRefused)
    }
  }

  /** Reads the conversations of a mailbox for later requests, of one mailbox at a time. */
  #readLater(mailbox: MailboxRef): void {
    if (this.#isReading) return
    this.#isReading = true
    this.#mailboxes
      .upToDate(mailbox)
      // Whoever needs them meets the error.
      .catch(() => undefined)
      .finally(() => {
        this.#isReading = false
      })
  }

  /** With the conversations over folders if these may be read. */
  async #ids(mailbox: MailboxRef, folder: string, uids: readonly number[], all: boolean): ReturnType<IdsOf> {
    const conversations = all ? await this.#conversations(mailbox, folder, uids) : new Map<number, string>()
    const threads = await this.#threads.idsOf(mailbox, folder, uids)
    return new Map(
      [...threads].map(([uid, id]) => [uid, { thread_id: id, conversation_id: conversations.get(uid) ?? null }]),
    )
  }

  /** None if another folder cannot be read, which is no fault of the message's. */
  async #conversations(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Map<number, string>> {
    try {
      const roots = (await this.#mailboxes.upToDate(mailbox)).roots(folder, uids)
      const name = conversationIds(this.#threads.key, mailbox.mailboxId)
      return new Map([...roots].map(([uid, root]) => [uid, name(root)]))
    } catch (error) {
      return nothingIfRefused(error)
    }
  }

  /** How many messages of each folder are not in memory, at most: as many as uids were given. Undefined if that cannot be read. */
  async #toRead(mailbox: MailboxRef, folder: string): Promise<Map<string, number> | undefined> {
    if (this.#mailboxes.isHeld(mailbox) && !leftOut.has(folder)) return new Map()
    try {
      const states = await this.#mailHost.folderStates(mailbox)
      const missing = states.filter(({ name }) => !this.#threads.held(mailbox, name))
      return new Map(missing.map(({ name, state }) => [name, state.uidNext - 1]))
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}

/** Of the folders whose messages belong to conversations. */
function ofAll(ofFolders: ReadonlyMap<string, number>): number {
  return [...ofFolders].reduce((sum, [folder, messages]) => sum + (leftOut.has(folder) ? 0 : messages), 0)
}

/** @throws what is no refusal */
function nothingIfRefused<V>(error: unknown): Map<number, V> {
  if (error instanceof Refusal) return new Map()
  throw error
}
