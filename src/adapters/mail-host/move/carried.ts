import { createHash } from 'node:crypto'
import type { Applied } from '#/ports/mail-host.ts'

/** The limits of one batch, which is stored by one command and one transaction. */
export const mostMessages = 50
const mostBytes = 4 << 20

/** A message that is moved from one mail host to the other. */
export interface Carried {
  /** Its uid in the old folder. */
  readonly uid: number
  readonly raw: Buffer
  readonly receivedAt: Date
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly forwarded: boolean
  /** Includes flags without a column in the database, such as `$draft`. */
  readonly keywords: readonly string[]
  readonly filteredBy: readonly Applied[]
}

/** The first of them that fit into one batch; at least one. */
export function batchOf<T extends { readonly size: number }>(messages: readonly T[]): T[] {
  let bytes = 0
  return messages.slice(0, mostMessages).filter(({ size }, index) => {
    bytes += size
    return index === 0 || bytes <= mostBytes
  })
}

/** The digest of a message, which is the same in either place: octets, date to the second, flags, keywords, what filters
 *  did. */
export function digestOf({ raw, receivedAt, keywords, filteredBy, ...flags }: Omit<Carried, 'uid'>): string {
  // The database orders the keys of JSON in its own way.
  const filters = filteredBy.map((one) => Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
  const { seen, flagged, answered, forwarded } = flags
  const beside = [second(receivedAt), seen, flagged, answered, forwarded, [...keywords].sort(), filters]
  return createHash('sha256').update(JSON.stringify(beside)).update('\0').update(raw).digest('hex')
}

export function second(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}

/** The counts of moved mail. */
export class Tally {
  messages = 0
  bytes = 0
  keywordsLost = 0
  readonly renamed: { mailboxId: string; folder: string; called: string }[] = []
  readonly #sum = Buffer.alloc(32)

  /** Of messages that were read back and are identical. */
  add(messages: readonly Omit<Carried, 'uid'>[]): void {
    for (const message of messages) {
      this.messages++
      this.bytes += message.raw.length
      const digest = Buffer.from(digestOf(message), 'hex')
      for (const [at, octet] of digest.entries()) this.#sum[at] = (this.#sum[at] ?? 0) ^ octet
    }
  }

  /** Independent of the order. */
  get digest(): string {
    return createHash('sha256').update(`${this.messages} `).update(this.#sum).digest('hex')
  }
}
