import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'

/** Those of the keywords that belong or belonged to labels of the organization. Members' own are absent, since no key may see
 *  them (docs/reference/members.md). */
export async function organizationKeywords(
  db: Db,
  organizationId: string,
  keywords: readonly string[],
): Promise<Set<string>> {
  if (keywords.length === 0) return new Set()
  const { rows } = await sql<{ keyword: string }>`
    select keyword from labels
    where organization_id = ${organizationId} and member_id is null and keyword = any(${keywords}::text[])
    union all
    select keyword from retired_keywords
    where organization_id = ${organizationId} and member_id is null and keyword = any(${keywords}::text[])`.execute(db)
  return new Set(rows.map(({ keyword }) => keyword))
}
