import { type RawBuilder, sql } from 'kysely'
import { copying } from './connections/copy-out.ts'
import type { Db } from './schema.ts'

/** The rows of a select whose columns are bytes, as they are stored. It cannot have parameters: its values are `sql.lit` of what does not
 *  come from outside. The statement is planned each time, so it should be a simple one. */
export async function copied(db: Db, select: RawBuilder<unknown>): Promise<readonly (Buffer | null)[][]> {
  const { rows } = await sql<(Buffer | null)[]>`${sql.raw(copying)}${select}) to stdout (format binary)`.execute(db)
  return rows
}
