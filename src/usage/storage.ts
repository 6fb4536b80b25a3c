import { Part, query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'

export interface Storage {
  readonly organization_id: string
  readonly bytes: number
}

/** CTEs for a statement that stores mail. They add its CTE `stored`, one row of `organization_id` and `bytes` for each
 *  organization, to the storage in use. They lock counters in the order of ids. */
export const countsStored = new Part(`usage as materialized (
      select organization_id, stored.bytes from stored join organization_usage usage using (organization_id)
      order by organization_id for update of usage
    ), counted as (
      update organization_usage set storage_bytes = organization_usage.storage_bytes + usage.bytes
      from usage where organization_usage.organization_id = usage.organization_id
    )`)

/** Each organization at most once. */
export async function addStorage(tx: Tx, added: readonly Storage[]): Promise<void> {
  await query(tx)`
    with stored as (
      select * from jsonb_to_recordset(${JSON.stringify(added)}::jsonb) as stored (organization_id uuid, bytes bigint)
    ), ${countsStored}
    select`
}

/** Replaces the counted storage by the measured one. */
export async function setStorage(db: Db, measured: readonly Storage[]): Promise<void> {
  await query(db)`
    update organization_usage usage set storage_bytes = measured.bytes
    from jsonb_to_recordset(${JSON.stringify(measured)}::jsonb) as measured (organization_id uuid, bytes bigint)
    where usage.organization_id = measured.organization_id`
}
