import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'

/** A domain whose DNS is ours to answer, so nothing needs to be waited for. */
export async function insertVerifiedDomain(tx: Tx, organizationId: string, domain: string): Promise<void> {
  const now = sql<Date>`now()`
  await tx
    .insertInto('domains')
    .values({
      organization_id: organizationId,
      domain,
      status: 'verified',
      ownership_verified_at: now,
      receiving_verified_at: now,
      last_checked_at: now,
    })
    .execute()
}
