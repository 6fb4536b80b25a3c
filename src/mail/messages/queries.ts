import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import type { Owner } from '#/base/ownership/owner.ts'

/** Those of the keywords that belong or belonged to labels of the organization or of the member. Keywords of other members
 *  are left out; for a key, those of all members (docs/reference/members.md). */
export async function visibleKeywords(
  db: Db,
  { organizationId, memberId }: Owner,
  keywords: readonly string[],
): Promise<Set<string>> {
  if (keywords.length === 0) return new Set()
  const { rows } = await sql<{ keyword: string }>`
    select keyword from labels
    where organization_id = ${organizationId} and (member_id is null or member_id = ${memberId}::uuid)
      and keyword = any(${keywords}::text[])
    union all
    select keyword from retired_keywords
    where organization_id = ${organizationId} and (member_id is null or member_id = ${memberId}::uuid)
      and keyword = any(${keywords}::text[])`.execute(short(db))
  return new Set(rows.map(({ keyword }) => keyword))
}

/** Those of the ids that are the member's own filters. */
export async function ownFilters(
  db: Db,
  { organizationId, memberId }: Owner,
  ids: readonly string[],
): Promise<Set<string>> {
  if (memberId === null || ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from filters
    where organization_id = ${organizationId} and member_id = ${memberId} and id = any(${ids}::uuid[])`.execute(
    short(db),
  )
  return new Set(rows.map(({ id }) => id))
}
