import type { Db } from '#/base/db/schema.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { cachedRules } from '#/base/ownership/rule-cache.ts'
import { type CompiledFilter, compileFilter } from './matching.ts'
import { enabledFilters } from './queries.ts'

/**
 * The filters for a mailbox in order: the organization's, then those of its member. The cache is at most 5 seconds old, and
 * sees changes of this process at once. Must not be awaited in a transaction.
 */
export function activeFilters(db: Db, mailbox: Owner): Promise<readonly CompiledFilter[]> {
  return cachedRules(db, mailbox.organizationId, `filters ${mailbox.memberId}`, async () => {
    const filters = await enabledFilters(db, mailbox)
    return filters.map((filter) => compileFilter(filter, filter.id, filter.personal))
  })
}
