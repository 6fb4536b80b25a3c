import type { Db } from '#/db/schema.ts'
import type { Owner } from '#/organizations/owner.ts'
import { rulesInForce } from '#/organizations/rules-in-force.ts'
import { type ReadyFilter, ready } from './matching.ts'
import { enabledFilters } from './queries.ts'

/**
 * The filters that a message to a mailbox runs through, in order: the organization's, then those of the mailbox's
 * member. At most 5 seconds old, and as new as the last change made through this process. Not to be awaited in a
 * transaction.
 */
export function filtersInForce(db: Db, mailbox: Owner): Promise<readonly ReadyFilter[]> {
  return rulesInForce(db, mailbox.organizationId, `filters ${mailbox.memberId}`, async () => {
    const filters = await enabledFilters(db, mailbox)
    return filters.map((filter) => ready(filter, filter.id, filter.personal))
  })
}
