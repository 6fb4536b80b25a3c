import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** A counter that was wrong. */
export interface Recounted {
  readonly organizationId: string
  readonly before: number
  readonly bytes: number
}

/** Compares the storage in use with the sizes of the folders, and puts it right. Whoever stores or deletes mail changes both in one
 *  transaction and holds the counter until its end; so once the counter is locked, a new statement sees all that it has counted. */
export async function recountStorage(db: Db): Promise<Recounted[]> {
  const { rows: suspects } = await sql<{ id: string }>`
    select organization_id as id from organization_usage usage
    where storage_bytes <> ${sizes} order by organization_id`.execute(db)
  const wrong: Recounted[] = []
  for (const { id } of suspects) {
    const [one] = await db.transaction().execute(async (tx) => {
      const { rows: held } = await sql<{ before: number }>`
        select storage_bytes as before from organization_usage where organization_id = ${id} for update`.execute(tx)
      const before = held[0]?.before ?? 0
      const { rows } = await sql<Recounted>`
        update organization_usage usage set storage_bytes = ${sizes}
        where organization_id = ${id} and storage_bytes <> ${sizes}
        returning organization_id as "organizationId", ${before}::bigint as before, storage_bytes as bytes`.execute(tx)
      return rows
    })
    if (one) wrong.push(one)
  }
  return wrong
}

const sizes = sql`(
  select coalesce(sum(size_bytes), 0)::bigint from mail_folders
  where mail_folders.organization_id = usage.organization_id)`
