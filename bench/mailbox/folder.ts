import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateMessages } from '#/mail/store/update.ts'
import type { World } from '#test/world/world.ts'
import { readMessage } from '../../src/formats/mime/read-message.ts'
import type { Copy } from '../../src/mail/store/copy-to-append.ts'
import { Letters } from './letters.ts'

/** A large inbox that grows. */
export class Inbox {
  readonly mailbox: MailboxRef
  readonly #world: World
  readonly #letters = new Letters()

  constructor(world: World, mailbox: MailboxRef) {
    this.#world = world
    this.mailbox = mailbox
  }

  /** Messages put in. */
  get count(): number {
    return this.#letters.count
  }

  async growTo(count: number): Promise<void> {
    while (this.count < count) await this.grow(Math.min(1_000, count - this.count))
  }

  async grow(count: number): Promise<void> {
    await this.#store(Array.from({ length: count }, () => this.#letters.next()))
  }

  /** One more conversation, of so many messages. */
  async converse(count: number): Promise<void> {
    const references: string[] = []
    await this.#store(Array.from({ length: count }, () => this.#letters.to(references)))
  }

  /** Moves half of it into other folders. Messages of one conversation come to lie in several. */
  async spread(folders: readonly string[]): Promise<void> {
    for (let first = 1; first <= this.count; first += 1_000) {
      for (const [at, folder] of folders.entries()) {
        const uids = Array.from({ length: 1_000 }, (_, number) => first + number)
        const moved = uids.filter((uid) => uid < this.count && uid % (2 * folders.length) === at)
        if (moved.length > 0) await updateMessages(this.#world.db, this.mailbox, 'inbox', moved, { folder })
      }
    }
  }

  async #store(letters: readonly Buffer[]): Promise<void> {
    const copies = letters.map((raw): Copy => {
      const rest = { ...this.#letters.marks(), filteredBy: [] }
      const receivedAt = new Date(this.#world.clock.now())
      return { mailbox: this.mailbox, folder: 'inbox', message: readMessage(raw), receivedAt, ...rest }
    })
    await this.#world.store(copies)
  }
}
