import { sql } from 'kysely'
import { insertQuotaEvents } from '#/base/event-log/quota-reached.ts'

/** CTEs for a statement that stores mail. They add its CTE `stored`, one row of `organization_id` and `bytes` for each
 *  organization, to the storage in use. Counters are locked in the order of ids. */
export const countsStored = sql`usage as materialized (
    select organization_id, counter.storage_bytes as before, counter.storage_bytes + stored.bytes as used, plan.storage_bytes as allowed
    from stored
    join organization_usage counter using (organization_id)
    join organizations organization on organization.id = organization_id
    join plans plan on plan.name = organization.plan
    order by organization_id for update of counter
  ), counted as (
    update organization_usage counter set storage_bytes = usage.used
    from usage where counter.organization_id = usage.organization_id
    returning usage.organization_id, 'storage' as quota, usage.before, usage.used, usage.allowed
  ), ${insertQuotaEvents}`
