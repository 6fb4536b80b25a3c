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
  readonly of: IdsOf = (mailbox, folder, uids) => this.#ids(mailbox, folder, uids, mostRead)

  /** The same of a folder in memory; of others nothing. */
  readonly known: IdsOf = async (mailbox, folder, uids) =>
    this.#threads.held(mailbox, folder) ? this.#ids(mailbox, folder, uids, 0) : new Map()

  async #ids(mailbox: MailboxRef, folder: string, uids: readonly number[], most: number): ReturnType<IdsOf> {
    if (uids.length === 0) return new Map()
    const conversations = await this.#conversations(mailbox, folder, uids, most)
    const threads = await this.#threads.idsOf(mailbox, folder, uids)
    return new Map(
      [...threads].map(([uid, id]) => [uid, { thread_id: id, conversation_id: conversations.get(uid) ?? null }]),
    )
  }

  async #conversations(
    mailbox: MailboxRef,
    folder: string,
    uids: readonly number[],
    most: number,
  ): Promise<Map<number, string>> {
    if (leftOut.has(folder)) return new Map()
    try {
      if (await this.#lacksMore(mailbox, most)) return new Map()
      const roots = (await this.#mailboxes.upToDate(mailbox)).roots(folder, uids)
      const name = conversationIds(this.#threads.key, mailbox.mailboxId)
      return new Map([...roots].map(([uid, root]) => [uid, name(root)]))
    } catch (error) {
      // Another folder cannot be read, which is no fault of the message's.
      if (error instanceof Refusal) return new Map()
      throw error
    }
  }

  /** Whether more than `most` messages would have to be read. A folder has at most as many messages as uids were given. */
  async #lacksMore(mailbox: MailboxRef, most: number): Promise<boolean> {
    if (this.#mailboxes.isHeld(mailbox)) return false
    const states = await this.#mailHost.folderStates(mailbox)
    const missing = states.filter(({ name }) => !leftOut.has(name) && !this.#threads.held(mailbox, name))
    return missing.reduce((sum, { state }) => sum + state.uidNext, 0) > most
  }
}
