import type { Actor } from '#/audit/actor.ts'
import { record } from '#/audit/record.ts'
import type { Db } from '#/db/schema.ts'
import { notFound, Refusal } from '#/errors.ts'
import type { Scope } from '#/http/scopes.ts'
import { lockOrganization } from '#/organizations/lock.ts'
import { isUuid } from '#/text.ts'
import { generateKey, hashKey } from './api-key.ts'
import { type Key, keyShown, mostLiveKeys } from './key.ts'
import { insertKey, keyById, liveKeyCount, revokeLiveKey } from './queries.ts'
import { type Restrictions, unrestricted } from './restrictions.ts'

export interface NewKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly restrictions?: Restrictions
}

/** Creates a key. `secret` is the key itself, which is not stored. */
export async function createKey(
  db: Db,
  organizationId: string,
  { name, scopes, expiresAt, restrictions = unrestricted }: NewKey,
  now: number,
  by: Actor,
): Promise<{ key: Key; secret: string }> {
  const secret = generateKey()
  const key = await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId)
    if ((await liveKeyCount(tx, organizationId, new Date(now))) >= mostLiveKeys) throw full()
    const made = await insertKey(tx, organizationId, {
      name,
      scopes: [...scopes],
      hash: hashKey(secret),
      prefix: secret.slice(0, 8),
      last_four: secret.slice(-4),
      expires_at: expiresAt,
      ...restrictions,
    })
    await record(tx, by, {
      ...{ organizationId, action: 'key.created', id: made.id, name: keyShown(made) },
      ...{ before: null, after: recorded(made) },
    })
    return made
  })
  return { key, secret }
}

/** Revokes a key, within five seconds in every process. `already`: it was revoked before. */
export async function revokeKey(db: Db, id: string, now: number, by: Actor): Promise<{ key: Key; already: boolean }> {
  if (!isUuid(id)) throw notFound(`key: ${id}`)
  const revoked = await db.transaction().execute(async (tx) => {
    const row = await revokeLiveKey(tx, id, new Date(now))
    if (!row) return undefined
    const { organization_id: organizationId, ...key } = row
    await record(tx, by, {
      ...{ organizationId, action: 'key.revoked', id, name: keyShown(key) },
      ...{ before: recorded(key), after: null },
    })
    return key
  })
  if (revoked) return { key: revoked, already: false }
  const key = await keyById(db, id)
  if (!key) throw notFound(`key: ${id}`)
  return { key, already: true }
}

function recorded({ name, scopes, expires_at, mailbox_ids, recipients, networks, requests_per_minute }: Key) {
  return { name, scopes, expires_at, mailbox_ids, recipients, networks, requests_per_minute }
}

function full(): Refusal {
  return new Refusal('invalid_request', `An organization can have at most ${mostLiveKeys} live keys`, {
    fix: 'Revoke keys that are no longer used',
  })
}
