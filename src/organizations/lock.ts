import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'

/**
 * Serializes the writers of an organization's rules until the end of the transaction, so that what is read afterwards (a
 * free name, a largest position, a count) stays valid. `for no key update`, because inserted rows that refer to the
 * organization hold a key share lock: `for update` would conflict with these, and could deadlock.
 */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sql`select from organizations where id = ${organizationId} for no key update`.execute(tx)
}
