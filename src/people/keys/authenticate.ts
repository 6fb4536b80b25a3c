import { sql } from 'kysely'
import type { RunningClock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { type Identity, perMinute } from '#/http/access/authorize.ts'
import { Caller, everyLevel } from '#/http/access/caller.ts'
import { Credentials, type Kind, type Known } from '#/http/access/credentials.ts'
import type { Scope } from '#/http/access/scopes.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import { keyShown } from './key.ts'
import { insideNetworks } from './networks.ts'

const apiKeys: Kind = {
  isWellFormed: isWellFormedKey,
  hash: hashKey,
  findOne: async (db, hash) => {
    const row = await liveKeys(db).where('hash', '=', hash).executeTakeFirst()
    return row && asKnown(row)
  },
  findMany: async (db, hashes) => {
    const named = hashes.map((hash) => hash.toString('hex'))
    const any = sql<Buffer>`any(array(select decode(name, 'hex') from unnest(${named}::text[]) as name))`
    const rows = await liveKeys(db).select('hash').where('hash', '=', any).execute()
    return new Map(rows.map((row) => [row.hash.toString('hex'), asKnown(row)]))
  },
  recordUse: async (db, used) => {
    await sql`
      update api_keys set last_used_at = date_trunc('minute', used.at)
      from unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, at]) => new Date(at))}::timestamptz[]) as used (id, at)
      where api_keys.id = used.id
        and (last_used_at is null or last_used_at < date_trunc('minute', used.at))`.execute(db)
  },
}

/** Identifies API keys. */
export class Authenticator extends Credentials {
  constructor(db: Db, clock: RunningClock, options: { every?: number } = {}) {
    super(db, apiKeys, clock, options)
  }
}

/** The identity of requests with a key, by its id; undefined once it is revoked or has expired. */
export async function keyIdentity(
  db: Db,
  { organizationId, keyId }: { organizationId: string; keyId: string },
  now: Date,
): Promise<Identity | undefined> {
  const row = await liveKeys(db)
    .where('api_keys.id', '=', keyId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const known = row && asKnown(row)
  return known?.isLive(now.getTime()) ? known.identity : undefined
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

function asKnown(row: LiveKey): Known {
  const expiresAt = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY
  return {
    id: row.id,
    identity: {
      actor: { kind: 'key', id: row.id, name: keyShown(row) },
      caller: new Caller(row.organization_id, { mailboxes: everyLevel(row.mailbox_ids), recipients: row.recipients }),
      scopes: new Set(row.scopes as Scope[]),
      quota: row.requests_per_minute ?? perMinute.quota,
      suspended: row.suspended_at !== null,
      member: undefined,
    },
    isLive: (now) => now < expiresAt,
    opensTo: row.networks ? insideNetworks(row.networks) : undefined,
  }
}
