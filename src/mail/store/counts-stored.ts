import { sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'
import { countedUse, insertQuotaEvents } from '#/base/event-log/quota-reached.ts'

/** Of a statement that stores mail: what it adds to the storage in use, one row for each organization. */
export const storedBytes = relation('stored', 'organization_id', 'bytes')

/** CTEs for such a statement, which add that. Counters are locked in the order of ids. */
export const countsStored = sql`usage as materialized (
    select organization_id, counter.storage_bytes as before, counter.storage_bytes + ${storedBytes.bytes} as used, plan.storage_bytes as allowed
    from ${storedBytes.rows}
    join organization_usage counter using (organization_id)
    join organizations organization on organization.id = organization_id
    join plans plan on plan.name = organization.plan
    order by organization_id for update of counter
  ), ${countedUse.rows} as (
    update organization_usage counter set storage_bytes = usage.used
    from usage where counter.organization_id = usage.organization_id
    returning usage.organization_id, 'storage' as quota, usage.before, usage.used, usage.allowed
  ), ${insertQuotaEvents}`
