import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { scopes } from '#/http/access/scopes.ts'
import { createKey } from '#/people/keys/keys.ts'

/** A new key of an organization that may do everything and does not expire. */
export async function storeKey(db: Db, organizationId: string): Promise<string> {
  return (await createKey(db, organizationId, { name: '', scopes, expiresAt: null }, Date.now(), byOperator)).secret
}
