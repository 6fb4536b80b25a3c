import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import type { Db } from '#/db/schema.ts'
import { batched } from '#/event-loop/batching.ts'
import { type Client, type Identity, perMinute } from '#/http/authorize.ts'
import { Caller } from '#/http/caller.ts'
import type { Scope } from '#/http/scopes.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import { keyShown } from './key.ts'
import { insideNetworks } from './networks.ts'

/** A key as it is cached, with what it is restricted to. */
interface KnownKey extends Identity {
  readonly expiresAt: Date | null
  /** Whether it opens to a client's address. Undefined: to any. */
  readonly opensTo: ((address: string) => boolean) | undefined
}

/** Milliseconds between look-ups of tokens from clients that guess, and the tokens in each. */
const guessesEvery = 1_000
const mostGuesses = 1_000

/** How long a look-up is believed. Revoking takes effect within 5 seconds on every process (docs/reference/keys.md). */
const believedMs = 4_000

/**
 * Identifies API keys. Look-ups are cached for four seconds and shared by concurrent requests. The last use of keys is
 * written later, many keys in one statement. Unknown tokens from clients that guess are looked up together, in one statement
 * a second: guessing does not load the database, and a valid key from the same address still works. A key from outside its
 * networks is one of them.
 */
export class Authenticator implements AsyncDisposable {
  readonly #db: Db
  readonly #now: () => number
  readonly #known = new QuickLRU<string, { key: Promise<KnownKey | undefined>; until: number }>({
    maxSize: 10_000,
  })
  /** Tokens that were valid, and for whom. */
  readonly #trusted = new QuickLRU<string, Pick<KnownKey, 'opensTo'>>({ maxSize: 10_000 })
  readonly #guessed: (hash: Buffer) => Promise<KnownKey | undefined>
  readonly #used = new Map<string, number>()
  readonly #writer: NodeJS.Timeout

  constructor(db: Db, now: () => number, { every = guessesEvery } = {}) {
    this.#db = db
    this.#now = now
    this.#guessed = batched(
      async (hashes: readonly Buffer[]) => {
        await wait(every)
        const found = await knownKeys(db, hashes)
        return hashes.map((hash) => found.get(hash.toString('hex')))
      },
      (waiting) => Math.min(waiting.length, mostGuesses),
    )
    this.#writer = setInterval(() => void this.writeLastUsed().catch(() => {}), 15_000)
    this.#writer.unref()
  }

  /** Undefined for a key that is malformed, unknown, revoked or expired, or comes from outside its networks. */
  async identify(token: string, client: Client): Promise<Identity | undefined> {
    const key = await this.#lookUp(token, client)
    const now = this.#now()
    if (!key || (key.expiresAt && key.expiresAt.getTime() <= now)) {
      this.#trusted.delete(token)
      return undefined
    }
    if (!opens(key, client)) return undefined
    this.#used.set(key.keyId, now)
    this.#trusted.set(token, { opensTo: key.opensTo })
    return key
  }

  async #lookUp(token: string, client: Client): Promise<KnownKey | undefined> {
    const known = this.#known.get(token)
    if (known && performance.now() < known.until) {
      const key = await known.key
      // Else how long the answer takes would tell a stolen key from an unknown one.
      return client.guessing && key && !opens(key, client) ? this.#guessed(hashKey(token)) : key
    }
    if (!isWellFormedKey(token)) return undefined
    const hash = hashKey(token)
    // Not cached: there may be more of them than of all keys.
    if (client.guessing && !this.#isTrusted(token, client)) return this.#guessed(hash)
    const key = keyWith(this.#db, hash)
    this.#known.set(token, { key, until: performance.now() + believedMs })
    key.catch(() => this.#known.delete(token))
    return key
  }

  #isTrusted(token: string, client: Client): boolean {
    const trusted = this.#trusted.get(token)
    return trusted !== undefined && opens(trusted, client)
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

function opens({ opensTo }: Pick<KnownKey, 'opensTo'>, { address }: Client): boolean {
  return opensTo?.(address) ?? true
}

async function keyWith(db: Db, hash: Buffer): Promise<KnownKey | undefined> {
  const row = await liveKeys(db).where('hash', '=', hash).executeTakeFirst()
  return row && asKnown(row)
}

/** By the hash in hexadecimal. */
async function knownKeys(db: Db, hashes: readonly Buffer[]): Promise<Map<string, KnownKey>> {
  const named = hashes.map((hash) => hash.toString('hex'))
  const any = sql<Buffer>`any(array(select decode(name, 'hex') from unnest(${named}::text[]) as name))`
  const rows = await liveKeys(db).select('hash').where('hash', '=', any).execute()
  return new Map(rows.map((row) => [row.hash.toString('hex'), asKnown(row)]))
}

function liveKeys(db: Db) {
  return db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['api_keys.id', 'organization_id', 'scopes', 'expires_at', 'suspended_at'])
    .select(['api_keys.name', 'prefix', 'last_four'])
    .select(['mailbox_ids', 'recipients', 'networks', 'requests_per_minute'])
    .where('revoked_at', 'is', null)
}

type LiveKey = Awaited<ReturnType<ReturnType<typeof liveKeys>['executeTakeFirstOrThrow']>>

function asKnown(row: LiveKey): KnownKey {
  return {
    keyId: row.id,
    actor: { kind: 'key', id: row.id, name: keyShown(row) },
    caller: new Caller(row.organization_id, { mailboxes: row.mailbox_ids, recipients: row.recipients }),
    scopes: new Set(row.scopes as Scope[]),
    quota: row.requests_per_minute ?? perMinute.quota,
    suspended: row.suspended_at !== null,
    expiresAt: row.expires_at,
    opensTo: row.networks ? insideNetworks(row.networks) : undefined,
  }
}

async function recordUse(db: Db, used: [id: string, at: number][]): Promise<void> {
  await sql`
    update api_keys set last_used_at = date_trunc('minute', used.at)
    from unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, at]) => new Date(at))}::timestamptz[]) as used (id, at)
    where api_keys.id = used.id
      and (last_used_at is null or last_used_at < date_trunc('minute', used.at))`.execute(db)
}
