import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** The time for all processes on one database: the clocks of their machines may differ. */
export type SharedTime = (db: Db) => Promise<Date>

/** For a statement: when it is written, not when its transaction began. */
export const clockTime = sql<Date>`clock_timestamp()`

/** The database's own clock; not `now()`, which is the start of the transaction. */
export const databaseTime: SharedTime = async (db) => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  if (!rows[0]) throw new Error('A select without a table has one row')
  return rows[0].now
}
