import { setTimeout as wait } from 'node:timers/promises'
import QuickLRU from 'quick-lru'
import type { RunningClock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { batched } from '#/base/event-loop/batching.ts'
import type { Client, Identity } from './authorize.ts'

/** A stored and cached credential: the identity of its requests. */
export interface Known {
  /** Its row, whose last use is recorded. */
  readonly id: string
  readonly identity: Identity
  readonly isLive: (now: number) => boolean
  /** Whether it is valid for a client's address. Undefined if for any. */
  readonly opensTo: ((address: string) => boolean) | undefined
}

/** A kind of credential, which is stored as the hash of its token. */
export interface Kind {
  readonly isWellFormed: (token: string) => boolean
  readonly hash: (token: string) => Buffer
  readonly findOne: (db: Db, hash: Buffer) => Promise<Known | undefined>
  /** By the hash in hexadecimal. */
  readonly findMany: (db: Db, hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Known>>
  /** Writes when each was used, to the minute, in one statement. */
  readonly recordUse: (db: Db, used: readonly (readonly [id: string, at: number])[]) => Promise<void>
}

/** Milliseconds between lookups of tokens from clients that guess, and the tokens in each. */
const guessesEvery = 1_000
const mostGuesses = 1_000

/** How long a lookup is cached. The end of a credential takes effect within 5 seconds in all processes
 *  (docs/reference/keys.md, docs/reference/sessions.md). */
const cachedMs = 4_000

/** Identifies requests by their token. Lookups are cached for four seconds and shared by concurrent requests. The last use
 *  of credentials is written later, many in one statement. Unknown tokens from clients that guess are looked up together,
 *  once a second: guessing does not load the database, and a valid token from the same address still works. That includes
 *  tokens from outside their networks. */
export class Credentials implements AsyncDisposable {
  readonly #db: Db
  readonly #kind: Kind
  readonly #clock: RunningClock
  readonly #known = new QuickLRU<string, { found: Promise<Known | undefined>; until: number }>({ maxSize: 10_000 })
  /** Valid tokens and their identities. */
  readonly #trusted = new QuickLRU<string, Pick<Known, 'opensTo'>>({ maxSize: 10_000 })
  readonly #guessed: (hash: Buffer) => Promise<Known | undefined>
  readonly #used = new Map<string, number>()
  readonly #writer: NodeJS.Timeout

  constructor(db: Db, kind: Kind, clock: RunningClock, { every = guessesEvery } = {}) {
    this.#db = db
    this.#kind = kind
    this.#clock = clock
    this.#guessed = batched(
      async (hashes: readonly Buffer[]) => {
        await wait(every)
        const found = await kind.findMany(db, hashes)
        return hashes.map((hash) => found.get(hash.toString('hex')))
      },
      (waiting) => Math.min(waiting.length, mostGuesses),
    )
    this.#writer = setInterval(() => void this.writeLastUsed().catch(() => {}), 15_000)
    this.#writer.unref()
  }

  /** Undefined for a token that is malformed, unknown, ended or expired, or comes from outside its networks. */
  async identify(token: string, client: Client): Promise<Identity | undefined> {
    const known = await this.#lookUp(token, client)
    const now = this.#clock.now()
    if (!known?.isLive(now)) {
      this.#trusted.delete(token)
      return undefined
    }
    if (!opens(known, client)) return undefined
    this.#used.set(known.id, now)
    this.#trusted.set(token, { opensTo: known.opensTo })
    return known.identity
  }

  /** Removes a token from the cache of this process. */
  forget(token: string): void {
    this.#known.delete(token)
    this.#trusted.delete(token)
  }

  async #lookUp(token: string, client: Client): Promise<Known | undefined> {
    const kept = this.#known.get(token)
    if (kept && this.#clock.elapsed() < kept.until) {
      const known = await kept.found
      // Otherwise the time of the answer would distinguish a stolen token from an unknown one.
      return client.guessing && known && !opens(known, client) ? this.#guessed(this.#kind.hash(token)) : known
    }
    if (!this.#kind.isWellFormed(token)) return undefined
    const hash = this.#kind.hash(token)
    // Not cached: there may be more of them than valid ones.
    if (client.guessing && !this.#isTrusted(token, client)) return this.#guessed(hash)
    const found = this.#kind.findOne(this.#db, hash)
    this.#known.set(token, { found, until: this.#clock.elapsed() + cachedMs })
    found.catch(() => this.#known.delete(token))
    return found
  }

  #isTrusted(token: string, client: Client): boolean {
    const trusted = this.#trusted.get(token)
    return trusted !== undefined && opens(trusted, client)
  }

  /** Writes the last use of each, to the minute. Failures are ignored. */
  async writeLastUsed(): Promise<void> {
    const used = [...this.#used]
    this.#used.clear()
    if (used.length > 0) await this.#kind.recordUse(this.#db, used)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#writer)
    await this.writeLastUsed().catch(() => {})
  }
}

function opens({ opensTo }: Pick<Known, 'opensTo'>, { address }: Client): boolean {
  return opensTo?.(address) ?? true
}
