import { createHash } from 'node:crypto'
import type { Applied } from '#/ports/mail-host.ts'

/** What is carried at a time: all of it in one command, and one transaction. */
export const mostMessages = 50
const mostBytes = 4 << 20

/** A message on its way from one mail host to the other. */
export interface Carried {
  /** In the folder that it leaves. */
  readonly uid: number
  readonly raw: Buffer
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  /** Flags that the database has no place for among them, as `$answered`. */
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
}

/** So many of them, in their order, as are carried at a time. At least one. */
export function batchOf<T extends { readonly size: number }>(messages: readonly T[]): T[] {
  let bytes = 0
  return messages.slice(0, mostMessages).filter(({ size }, index) => {
    bytes += size
    return index === 0 || bytes <= mostBytes
  })
}

/** The same message has the same digest in either place: octets, date to the second, flags, keywords, what filters did. */
export function digestOf({ raw, receivedAt, seen, flagged, keywords, filteredBy }: Omit<Carried, 'uid'>): string {
  // The database has keys of JSON in an order of its own.
  const filters = filteredBy.map((one) => Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
  const beside = [second(receivedAt), seen, flagged, [...keywords].sort(), filters]
  return createHash('sha256').update(JSON.stringify(beside)).update('\0').update(raw).digest('hex')
}

export function second(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}

/** What was carried, as it is counted. */
export class Tally {
  messages = 0
  bytes = 0
  keywordsLost = 0
  readonly renamed: { mailboxId: string; folder: string; called: string }[] = []
  readonly #sum = Buffer.alloc(32)

  /** Of messages that were read back and are the same. */
  add(messages: readonly Omit<Carried, 'uid'>[]): void {
    for (const message of messages) {
      this.messages++
      this.bytes += message.raw.length
      const digest = Buffer.from(digestOf(message), 'hex')
      for (const [at, octet] of digest.entries()) this.#sum[at] = (this.#sum[at] ?? 0) ^ octet
    }
  }

  /** Whatever the order in which they came. */
  get digest(): string {
    return createHash('sha256').update(`${this.messages} `).update(this.#sum).digest('hex')
  }
}
