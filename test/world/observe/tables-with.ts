import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** The tables that have the text in any row, in a text or in octets. */
export async function tablesWith(db: Db, text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const found = []
  for (const { name } of tables) {
    const hex = Buffer.from(text).toString('hex')
    const { rows } = await sql`
      select from ${sql.table(name)} "whole row"
      where position(${text} in to_jsonb("whole row")::text) > 0 or position(${hex} in to_jsonb("whole row")::text) > 0
      limit 1`.execute(db)
    if (rows.length > 0) found.push(name)
  }
  return found
}
