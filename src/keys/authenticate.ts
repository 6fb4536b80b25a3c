import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import type { Db } from '#/db/schema.ts'
import type { Scope } from '#/http/scopes.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'

/** Who a request comes from. */
export interface Identity {
  readonly keyId: string
  readonly organizationId: string
  readonly scopes: ReadonlySet<Scope>
  readonly expiresAt: Date | null
  /** The organization is. */
  readonly suspended: boolean
}

/** How long a look-up is believed. Revoking takes effect within 5 seconds on every process (decisions, API keys). */
const believedMs = 4_000

/**
 * Tells whose key a token is. Look-ups are kept for four seconds and made once however many requests wait for them;
 * the minute of a key's last use is written behind, many keys in one statement.
 */
export class Authenticator implements AsyncDisposable {
  readonly #db: Db
  readonly #now: () => number
  readonly #known = new QuickLRU<string, { identity: Promise<Identity | undefined>; until: number }>({
    maxSize: 10_000,
  })
  readonly #used = new Map<string, number>()
  readonly #writer: NodeJS.Timeout

  constructor(db: Db, now: () => number) {
    this.#db = db
    this.#now = now
    this.#writer = setInterval(() => void this.writeLastUsed().catch(() => {}), 15_000)
    this.#writer.unref()
  }

  /** Undefined for a key that is malformed, unknown, revoked or expired. */
  async identify(token: string): Promise<Identity | undefined> {
    const identity = await this.#lookUp(token)
    const now = this.#now()
    if (!identity || (identity.expiresAt && identity.expiresAt.getTime() <= now)) return undefined
    this.#used.set(identity.keyId, now)
    return identity
  }

  #lookUp(token: string): Promise<Identity | undefined> | undefined {
    const known = this.#known.get(token)
    if (known && performance.now() < known.until) return known.identity
    if (!isWellFormedKey(token)) return undefined
    const identity = identityOf(this.#db, hashKey(token))
    this.#known.set(token, { identity, until: performance.now() + believedMs })
    identity.catch(() => this.#known.delete(token))
    return identity
  }

  /** Writes when each key was last used, to the minute. What could not be written is dropped: it says little. */
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
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['api_keys.id', 'organization_id', 'scopes', 'expires_at', 'suspended_at'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      keyId: row.id,
      organizationId: row.organization_id,
      scopes: new Set(row.scopes as Scope[]),
      expiresAt: row.expires_at,
      suspended: row.suspended_at !== null,
    }
  )
}

async function recordUse(db: Db, used: [id: string, at: number][]): Promise<void> {
  await sql`
    update api_keys set last_used_at = date_trunc('minute', used.at)
    from unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, at]) => new Date(at))}::timestamptz[]) as used (id, at)
    where api_keys.id = used.id
      and (last_used_at is null or last_used_at < date_trunc('minute', used.at))`.execute(db)
}
