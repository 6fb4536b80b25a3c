import type { MessagePlace } from '#/http/schemas/cursor.ts'
import type { Held } from '../folder-index.ts'
import type { Numbered } from '../index/folder-rows.ts'
import type { Conversation } from '../thread-index.ts'
import type { IndexedFolder } from './connected.ts'
import type { ConversationIndex, Listed, WholeConversation } from './mailbox-index.ts'
import type { Placed } from './placed.ts'

/** The conversations of one folder by itself: what connects messages is there too. */
export class OneFolder implements ConversationIndex {
  readonly folders: readonly IndexedFolder[]
  readonly #folder: IndexedFolder

  constructor(name: string, { index, state }: Held) {
    this.#folder = { name, index, state }
    this.folders = [this.#folder]
  }

  total(): number {
    return this.#folder.index.total
  }

  page(_wanted: object, { limit, from }: { limit: number; from: MessagePlace | number }): Listed[] {
    const { index, name: folder } = this.#folder
    return index.page(limit, typeof from === 'number' ? from : index.offsetBehind(from)).map((one) => {
      const conversation = this.#whole(one)
      return {
        conversation,
        place: { folder, uid: (one.messages.at(-1) ?? one.lowest).uid, receivedAt: one.lastReceivedAt },
      }
    })
  }

  find(hash: Buffer): WholeConversation | undefined {
    const found = this.#folder.index.find(hash)
    return found && this.#whole(found)
  }

  unread(messages: readonly Placed[]): Placed[] {
    const { index, name: folder } = this.#folder
    return index.unread(messages.map(({ uid }) => uid)).map((uid) => ({ folder, uid }))
  }

  #whole({ messages, lowest, ...conversation }: Conversation): WholeConversation {
    const placed = (message: Numbered) => ({ folder: this.#folder.name, ...message })
    return { ...conversation, messages: messages.map(placed), named: placed(lowest) }
  }
}
