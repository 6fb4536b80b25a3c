import { readMessage } from '#/mime/message.ts'
import type { Copy, MailboxRef } from '#/ports/mail-host.ts'
import type { World } from '../test/world.ts'

const people = 10_000
const text = 'Some words of a letter. '.repeat(20)

/** A large inbox that grows as real ones do: conversations of one to some dozens of messages, a tenth of them without
 *  their root, a fifth of the messages unread, a tenth labelled. The same at every run. */
export class Inbox {
  readonly mailbox: MailboxRef
  /** Messages put in. */
  count = 0
  readonly #world: World
  /** The references of a reply, for each conversation that goes on. */
  readonly #open: string[][] = []
  readonly #random = randomFrom(1)

  constructor(world: World, mailbox: MailboxRef) {
    this.#world = world
    this.mailbox = mailbox
  }

  async growTo(count: number): Promise<void> {
    while (this.count < count) await this.grow(Math.min(1_000, count - this.count))
  }

  async grow(count: number): Promise<void> {
    await this.#store(Array.from({ length: count }, () => this.#letter(this.#conversation())))
  }

  /** One more conversation, of so many messages. */
  async converse(count: number): Promise<void> {
    const references: string[] = []
    await this.#store(Array.from({ length: count }, () => this.#letter(references)))
  }

  #conversation(): string[] {
    const known = this.#random() < 0.6 ? this.#open[Math.floor(this.#random() * this.#open.length)] : undefined
    if (known) return known
    const references = this.#random() < 0.1 ? [`<lost${this.count}@elsewhere.example>`] : []
    this.#open.push(references)
    if (this.#open.length > 200) this.#open.splice(Math.floor(this.#random() * 200), 1)
    return references
  }

  /** A letter to a conversation, which then goes on from it. */
  #letter(references: string[]): Buffer {
    const number = ++this.count
    const person = Math.floor(people * this.#random() ** 2)
    const id = `<CAKx${number}.${number * 7919}@mail.gmail.example>`
    const header = [
      `From: Person ${person} <person${person}@host${person % 100}.example>`,
      'To: ada@tryout.test',
      `Subject: Number ${number}`,
      `Message-ID: ${id}`,
    ]
    if (references.length > 0) {
      header.push(`References: ${references.join('\r\n ')}`, `In-Reply-To: ${references.at(-1)}`)
    }
    references.push(id)
    if (references.length > 12) references.splice(1, 1)
    return Buffer.from(`${header.join('\r\n')}\r\n\r\n${text}\r\n`)
  }

  async #store(letters: readonly Buffer[]): Promise<void> {
    const copies = letters.map((raw): Copy => {
      const seen = this.#random() < 0.8
      const keywords = this.#random() < 0.1 ? ['receipts'] : []
      const rest = { seen, flagged: false, keywords, filteredBy: [] }
      const receivedAt = new Date(this.#world.clock.now())
      return { mailbox: this.mailbox, folder: 'inbox', message: readMessage(raw), receivedAt, ...rest }
    })
    await this.#world.db.transaction().execute((tx) => this.#world.mailHost.append(tx, copies))
  }
}

/** Mulberry32: numbers below 1 that look random. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
