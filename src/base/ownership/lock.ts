import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import type { Owner } from './owner.ts'

/**
 * Serializes the writers of an organization's rules until the end of the transaction, so that what is read afterwards (a
 * free name, a largest position, a count) stays valid. `for no key update`, because inserted rows that refer to the
 * organization hold a key share lock: `for update` would conflict with these, and could deadlock.
 */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sql`select from organizations where id = ${organizationId} for no key update`.execute(tx)
}

/** The same for writers of what an owner has. @throws Refusal if the owner is a member who was removed meanwhile */
export async function lockOwner(tx: Tx, { organizationId, memberId }: Owner): Promise<void> {
  await lockOrganization(tx, organizationId)
  if (memberId === null) return
  const { rows } = await sql`
    select from members where organization_id = ${organizationId} and id = ${memberId}`.execute(tx)
  if (rows.length === 0) throw notFound('member')
}
