import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { notFound, Refusal } from '#/base/errors.ts'
import { lockOrganization } from '#/base/ownership/lock.ts'
import { isUuid } from '#/base/text/text.ts'
import type { Scope } from '#/http/access/scopes.ts'
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

/** A key that was just made, and the key itself, which is not stored. */
interface Made {
  readonly key: Key
  readonly secret: string
}

/** `addKey` in a transaction of its own. */
export async function createKey(db: Db, organizationId: string, wanted: NewKey, now: number, by: Actor): Promise<Made> {
  return await db.transaction().execute((tx) => addKey(tx, organizationId, wanted, now, by))
}

/** Creates a key. @throws Refusal if the organization has too many */
export async function addKey(
  tx: Tx,
  organizationId: string,
  { name, scopes, expiresAt, restrictions = unrestricted }: NewKey,
  now: number,
  by: Actor,
): Promise<Made> {
  const secret = generateKey()
  await lockOrganization(tx, organizationId)
  if ((await liveKeyCount(tx, organizationId, new Date(now))) >= mostLiveKeys) throw full()
  const key = await insertKey(tx, organizationId, {
    name,
    scopes: [...scopes],
    hash: hashKey(secret),
    prefix: secret.slice(0, 8),
    last_four: secret.slice(-4),
    expires_at: expiresAt,
    ...restrictions,
  })
  await record(tx, by, {
    ...{ organizationId, action: 'key.created', id: key.id, name: keyShown(key) },
    ...{ before: null, after: recorded(key) },
  })
  return { key, secret }
}

/** Revokes a key of an organization, or of any, within five seconds in every process. `already`: it was revoked
 *  before. */
export async function revokeKey(
  db: Db,
  id: string,
  now: number,
  by: Actor,
  organizationId?: string,
): Promise<{ key: Key; already: boolean }> {
  return await db.transaction().execute((tx) => revokeKeyIn(tx, id, now, by, organizationId))
}

/** The same in a transaction. */
export async function revokeKeyIn(
  tx: Tx,
  id: string,
  now: number,
  by: Actor,
  organizationId?: string,
): Promise<{ key: Key; already: boolean }> {
  const none = notFound(organizationId === undefined ? `key: ${id}` : 'key')
  if (!isUuid(id)) throw none
  const row = await revokeLiveKey(tx, id, new Date(now), organizationId)
  if (row) {
    const { organization_id, ...key } = row
    await record(tx, by, {
      ...{ organizationId: organization_id, action: 'key.revoked', id, name: keyShown(key) },
      ...{ before: recorded(key), after: null },
    })
    return { key, already: false }
  }
  const key = await keyById(tx, id, organizationId)
  if (!key) throw none
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
