import { sql } from 'kysely'
import { insertReached } from './append.ts'

/** CTEs for a statement that counts use. They report once each time that it has reached 80 or 100 percent of the plan's limit:
 *  of its CTE `counted`, rows of `organization_id`, `quota`, `before`, `used` and `allowed`. */
export const insertQuotaEvents = sql`reached as (
      select organization_id, 'quota.reached' as type, null::uuid as mailbox_id,
        jsonb_build_object('quota', quota, 'percent', percent, 'used', used, 'limit', allowed) as data
      from counted cross join unnest(array[80, 100]) as percent
      where before < allowed * (percent / 100.0) and used >= allowed * (percent / 100.0)
      order by percent
    ), ${insertReached}`
