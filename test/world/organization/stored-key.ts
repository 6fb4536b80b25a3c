import { byOperator } from '#/audit/actor.ts'
import type { Db } from '#/db/schema.ts'
import { scopes } from '#/http/access/scopes.ts'
import { createKey } from '#/keys/keys.ts'

/** A new key of an organization that may do everything and does not expire. */
export async function storeKey(db: Db, organizationId: string): Promise<string> {
  return (await createKey(db, organizationId, { name: '', scopes, expiresAt: null }, Date.now(), byOperator)).secret
}
