import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import type { Db } from '#/db/schema.ts'
import { batched } from '#/event-loop/batching.ts'
import type { Scope } from '#/http/scopes.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'

export interface Identity {
  readonly keyId: string
  readonly organizationId: string
  readonly scopes: ReadonlySet<Scope>
  readonly expiresAt: Date | null
  /** The organization is. */
  readonly suspended: boolean
}

/** Milliseconds between look-ups of tokens from clients that guess, and the tokens in each. */
const guessesEvery = 1_000
const mostGuesses = 1_000

/** How long a look-up is believed. Revoking takes effect within 5 seconds on every process (docs/reference/keys.md). */
const believedMs = 4_000

/**
 * Identifies API keys. Look-ups are cached for four seconds and shared by concurrent requests. The last use of keys is
 * written later, many keys in one statement. Unknown tokens from clients that guess are looked up together, in one statement
 * a second: guessing does not load the database, and a valid key from the same address still works.
 */
export class Authenticator implements AsyncDisposable {
  readonly #db: Db
  readonly #now: () => number
  readonly #known = new QuickLRU<string, { identity: Promise<Identity | undefined>; until: number }>({
    maxSize: 10_000,
  })
  /** Tokens that were valid. */
  readonly #trusted = new QuickLRU<string, true>({ maxSize: 10_000 })
  readonly #guessed: (hash: Buffer) => Promise<Identity | undefined>
  readonly #used = new Map<string, number>()
  readonly #writer: NodeJS.Timeout

  constructor(db: Db, now: () => number, { every = guessesEvery } = {}) {
    this.#db = db
    this.#now = now
    this.#guessed = batched(
      async (hashes: readonly Buffer[]) => {
        await wait(every)
        const found = await identitiesOf(db, hashes)
        return hashes.map((hash) => found.get(hash.toString('hex')))
      },
      (waiting) => Math.min(waiting.length, mostGuesses),
    )
    this.#writer = setInterval(() => void this.writeLastUsed().catch(() => {}), 15_000)
    this.#writer.unref()
  }

  /** Undefined for a key that is malformed, unknown, revoked or expired. */
  async identify(token: string, guessing = false): Promise<Identity | undefined> {
    const identity = await this.#lookUp(token, guessing)
    const now = this.#now()
    if (!identity || (identity.expiresAt && identity.expiresAt.getTime() <= now)) {
      this.#trusted.delete(token)
      return undefined
    }
    this.#used.set(identity.keyId, now)
    this.#trusted.set(token, true)
    return identity
  }

  #lookUp(token: string, guessing: boolean): Promise<Identity | undefined> | undefined {
    const known = this.#known.get(token)
    if (known && performance.now() < known.until) return known.identity
    if (!isWellFormedKey(token)) return undefined
    const hash = hashKey(token)
    // Not cached: there may be more of them than of all keys.
    if (guessing && !this.#trusted.has(token)) return this.#guessed(hash)
    const identity = identityOf(this.#db, hash)
    this.#known.set(token, { identity, until: performance.now() + believedMs })
    identity.catch(() => this.#known.delete(token))
    return identity
  }

  /** Writes the last use of each key, to the minute. Failures are ignored. */
  async writeLastUsed(): Promise<void> {
    const used = [...this.#used]
    this.#used.clear()
    if (used.length > 0) await recordUse(this.#db, used)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#writer)
    await this.writeLastUsed().catch(() => {})
  }
}

async function identityOf(db: Db, hash: Buffer): Promise<Identity | undefined> {
  const row = await liveKeys(db).where('hash', '=', hash).executeTakeFirst()
  return row && asIdentity(row)
}

/** By the hash in hexadecimal. */
async function identitiesOf(db: Db, hashes: readonly Buffer[]): Promise<Map<string, Identity>> {
  const named = hashes.map((hash) => hash.toString('hex'))
  const any = sql<Buffer>`any(array(select decode(name, 'hex') from unnest(${named}::text[]) as name))`
  const rows = await liveKeys(db).select('hash').where('hash', '=', any).execute()
  return new Map(rows.map((row) => [row.hash.toString('hex'), asIdentity(row)]))
}

function liveKeys(db: Db) {
  return db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['api_keys.id', 'organization_id', 'scopes', 'expires_at', 'suspended_at'])
    .where('revoked_at', 'is', null)
}

interface LiveKey {
  readonly id: string
  readonly organization_id: string
  readonly scopes: string[]
  readonly expires_at: Date | null
  readonly suspended_at: Date | null
}

function asIdentity(row: LiveKey): Identity {
  return {
    keyId: row.id,
    organizationId: row.organization_id,
    scopes: new Set(row.scopes as Scope[]),
    expiresAt: row.expires_at,
    suspended: row.suspended_at !== null,
  }
}

async function recordUse(db: Db, used: [id: string, at: number][]): Promise<void> {
  await sql`
    update api_keys set last_used_at = date_trunc('minute', used.at)
    from unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, at]) => new Date(at))}::timestamptz[]) as used (id, at)
    where api_keys.id = used.id
      and (last_used_at is null or last_used_at < date_trunc('minute', used.at))`.execute(db)
}
