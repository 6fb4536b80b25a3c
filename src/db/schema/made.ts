import type { ColumnType } from 'kysely'

/** Set by the database when the row is inserted. */
export type Made<T> = ColumnType<T, T | undefined, T>
