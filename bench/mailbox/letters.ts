const people = 10_000
const text = 'Some words of a letter. '.repeat(20)

/** The letters of a large inbox, as real ones are: conversations of one to some dozens of messages, a tenth of them without
 *  their root, a fifth of the messages unread, a tenth labelled. The same at every run. */
export class Letters {
  /** Letters written. */
  count = 0
  /** The references of a reply, for each conversation that goes on. */
  readonly #open: string[][] = []
  readonly #random = randomFrom(1)

  /** The next one, to whichever conversation. */
  next(): Buffer {
    return this.to(this.#conversation())
  }

  /** A letter to a conversation, which then goes on from it. */
  to(references: string[]): Buffer {
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

  /** What became of a letter. */
  marks(): { seen: boolean; flagged: boolean; keywords: string[] } {
    const seen = this.#random() < 0.8
    return { seen, flagged: false, keywords: this.#random() < 0.1 ? ['receipts'] : [] }
  }

  #conversation(): string[] {
    const known = this.#random() < 0.6 ? this.#open[Math.floor(this.#random() * this.#open.length)] : undefined
    if (known) return known
    const references = this.#random() < 0.1 ? [`<lost${this.count}@elsewhere.example>`] : []
    this.#open.push(references)
    if (this.#open.length > 200) this.#open.splice(Math.floor(this.#random() * 200), 1)
    return references
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
