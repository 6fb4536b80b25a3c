import { type RawBuilder, sql } from 'kysely'

/** A time of the database as a number: a Date would lose its microseconds. */
export function microseconds(column: string): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`
}

export function timeAt(microseconds: number): RawBuilder<Date> {
  return sql<Date>`(timestamptz 'epoch' + ${microseconds}::float8 * interval '1 microsecond')`
}
