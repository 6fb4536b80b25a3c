import pg from 'pg'
import { inOrderOfReferences } from './order.ts'

/** A table whose rows are moved with the installation. */
export interface Table {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly references: readonly string[]
}

/** All tables of the database's catalogue, each after those that it refers to. Without unlogged tables, which a crash
 *  empties, and the list of migrations, which each database has of its own. */
export async function movableTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname as name,
      (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
        from pg_attribute where attrelid = one.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      array(select other.relname::text from pg_constraint join pg_class other on other.oid = confrelid
        where conrelid = one.oid and contype = 'f') as references
    from pg_class one
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'
      and relname <> 'schema_migrations'
    order by relname collate "C"`)
  return inOrderOfReferences(rows)
}

/** The next value of each sequence. Read after the rows, so that it is beyond theirs. */
export async function sequences(client: pg.ClientBase): Promise<[name: string, next: number][]> {
  const { rows } = await client.query<{ name: string }>(`
    select sequencename as name from pg_sequences where schemaname = current_schema() order by sequencename collate "C"`)
  const found: [string, number][] = []
  for (const { name } of rows) {
    const { rows } = await client.query<{ next: number }>(
      `select last_value + is_called::integer as next from ${quoted(name)}`,
    )
    found.push([name, rows[0]?.next ?? 1])
  }
  return found
}

export function quoted(name: string): string {
  return pg.escapeIdentifier(name)
}
