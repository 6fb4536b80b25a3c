import { type RawBuilder, sql } from 'kysely'

/** A part of a statement, `with NAME as (…)`, that fragments in other files read: its rows, and its columns by their names. A fragment that
 *  names it so is checked by the compiler, and each of its readers is found by the reference. */
export type Relation<Column extends string> = { readonly rows: RawBuilder<unknown> } & {
  readonly [Name in Column]: RawBuilder<unknown>
}

export function relation<Column extends string>(name: string, ...columns: readonly Column[]): Relation<Column> {
  const named = Object.fromEntries(columns.map((column) => [column, sql.raw(`${name}.${column}`)]))
  return { rows: sql.raw(name), ...named } as Relation<Column>
}
