import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'

/**
 * Makes the writers of an organization's rules take turns, from here to the end of the transaction: what is read after
 * it (a name that is free, a largest position, a count) is still so when it is acted upon.
 * `for no key update`, because rows that refer to the organization take a key share lock on it as they are inserted:
 * `for update` would wait for all of those, and two writers that each inserted one first would wait for each other.
 */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sql`select from organizations where id = ${organizationId} for no key update`.execute(tx)
}
