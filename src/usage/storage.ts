import { query, SqlPart } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { insertQuotaEvents } from './reached.ts'

export interface Storage {
  readonly organization_id: string
  readonly bytes: number
}

/** Replaces the counted storage by the SQL `used`. Counters are locked in the order of ids. */
const counts = (used: string) =>
  new SqlPart(`usage as materialized (
      select organization_id, counter.storage_bytes as before, ${used} as used, plan.storage_bytes as allowed
      from stored
      join organization_usage counter using (organization_id)
      join organizations organization on organization.id = organization_id
      join plans plan on plan.name = organization.plan
      order by organization_id for update of counter
    ), counted as (
      update organization_usage counter set storage_bytes = usage.used
      from usage where counter.organization_id = usage.organization_id
      returning usage.organization_id, 'storage' as quota, usage.before, usage.used, usage.allowed
    ), ${insertQuotaEvents.text}`)

/** CTEs for a statement that stores mail. They add its CTE `stored`, one row of `organization_id` and `bytes` for each
 *  organization, to the storage in use. */
export const countsStored = counts('counter.storage_bytes + stored.bytes')

const countsMeasured = counts('stored.bytes')

/** Each organization at most once. */
export async function addStorage(tx: Tx, added: readonly Storage[]): Promise<void> {
  await query(tx)`
    with stored as (
      select * from jsonb_to_recordset(${JSON.stringify(added)}::jsonb) as stored (organization_id uuid, bytes bigint)
    ), ${countsStored}
    select`
}

/** Replaces the counted storage by the measured one. Each organization at most once. */
export async function setStorage(db: Db, measured: readonly Storage[]): Promise<void> {
  await query(db)`
    with stored as (
      select * from jsonb_to_recordset(${JSON.stringify(measured)}::jsonb) as stored (organization_id uuid, bytes bigint)
    ), ${countsMeasured}
    select`
}
