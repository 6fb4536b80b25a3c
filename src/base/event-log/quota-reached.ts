import { sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'
import { insertReached, reachedEvents } from './append.ts'

/** Of a statement that counts use: how much of a plan's limit was used before, and is now. */
export const countedUse = relation('counted', 'organization_id', 'quota', 'before', 'used', 'allowed')

const { organization_id, quota, before, used, allowed } = countedUse

/** CTEs for such a statement. They report once each time that use has reached 80 or 100 percent of the limit. */
export const insertQuotaEvents = sql`${reachedEvents.rows} as (
      select ${organization_id}, 'quota.reached' as type, null::uuid as mailbox_id,
        jsonb_build_object('quota', ${quota}, 'percent', percent, 'used', ${used}, 'limit', ${allowed}) as data
      from ${countedUse.rows} cross join unnest(array[80, 100]) as percent
      where ${before} < ${allowed} * (percent / 100.0) and ${used} >= ${allowed} * (percent / 100.0)
      order by percent
    ), ${insertReached}`
