import type pg from 'pg'

/** What every migrated database holds from the start: its schema, and the rows that migrations write. */
export interface Initial {
  readonly schema: string
  readonly rows: ReadonlyMap<string, string>
}

export async function initialOf(pool: pg.Pool): Promise<Initial> {
  const rows = new Map<string, string>()
  for (const table of await tablesInUse(pool)) rows.set(table, await rowsOf(pool, table))
  return { schema: await schemaOf(pool), rows }
}

/** Makes a database that a test has used what it was at first. Answers false where the test has changed more than rows, or
 *  rows that migrations wrote. */
export async function emptied(pool: pg.Pool, initial: Initial): Promise<boolean> {
  if ((await schemaOf(pool)) !== initial.schema) return false
  const used = (await tablesInUse(pool)).filter((table) => !initial.rows.has(table))
  if (used.length > 0) await pool.query(`truncate ${used.join(', ')} restart identity cascade`)
  await pool.query('delete from pg_statistic where starelid >= 16384')
  for (const [table, rows] of initial.rows) if ((await rowsOf(pool, table)) !== rows) return false
  return true
}

/** Tables that hold rows, or did. */
async function tablesInUse(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`)
  return rows.map(({ name }) => name)
}

async function rowsOf(pool: pg.Pool, table: string): Promise<string> {
  const { rows } = await pool.query<{ all: string }>(
    `select string_agg(row::text, '' order by row::text) as all from ${table} as row`,
  )
  return rows[0]?.all ?? ''
}

/** Changes with every column, constraint, index, trigger, function or setting that comes, goes or changes. */
async function schemaOf(pool: pg.Pool): Promise<string> {
  const parts = ['attribute', 'constraint', 'index', 'trigger', 'proc', 'namespace', 'type', 'db_role_setting'].map(
    (name) => `(select count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) from pg_${name})`,
  )
  const { rows } = await pool.query<{ all: string }>(`select concat_ws(', ', ${parts.join(', ')}) as all`)
  return rows[0]?.all ?? ''
}
