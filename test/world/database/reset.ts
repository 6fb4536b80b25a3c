import type pg from 'pg'

/** The initial content of a migrated database: its schema, and the rows that migrations write. */
export interface Initial {
  readonly schema: string
  readonly rows: ReadonlyMap<string, string>
}

export async function initialOf(pool: pg.Pool): Promise<Initial> {
  const rows = new Map<string, string>()
  for (const { name } of await tablesInUse(pool)) rows.set(name, await rowsOf(pool, name))
  return { schema: await schemaOf(pool), rows }
}

/** Resets a used database to its initial content. Answers false if the test has changed more than rows, or
 *  rows that migrations wrote. */
export async function emptied(pool: pg.Pool, initial: Initial): Promise<boolean> {
  if ((await schemaOf(pool)) !== initial.schema) return false
  const used = (await tablesInUse(pool)).filter(({ name }) => !initial.rows.has(name))
  const names = used.map(({ name }) => name).join(', ')
  const octets = used.reduce((sum, { octets }) => sum + octets, 0)
  if (octets > mostDeleted) await pool.query(truncation(names))
  else if (used.length > 0) {
    await pool.query(deletion(used.map(({ name }) => name)))
    await pool.query(`vacuum (index_cleanup on, truncate on) ${names}`)
  }
  await pool.query(notAnalysed)
  await pool.query('delete from pg_statistic where starelid >= 16384')
  for (const [table, rows] of initial.rows) if ((await rowsOf(pool, table)) !== rows) return false
  return true
}

/** To truncate tables, with all that refer to them, creates 200 files: on the embedded database 0.3 s of CPU. To delete
 *  a few rows and to vacuum takes a tenth of that; where there is more, it takes longer. */
const mostDeleted = 2 ** 20

/** Past the trigger that keeps the audit trail. */
function truncation(names: string): string {
  return `
    begin;
    set local session_replication_role = replica;
    truncate ${names} restart identity cascade;
    commit`
}

/** Deletes all rows past triggers and references; sequences begin again. */
function deletion(tables: readonly string[]): string {
  return `
    begin;
    set local session_replication_role = replica;
    ${tables.map((table) => `delete from ${table};`).join('\n    ')}
    select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname = 'public' and last_value is not null;
    commit`
}

/** The planner's values for tables and indexes that were never analyzed. */
const notAnalysed = `
  update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
    where oid >= 16384 and relkind in ('r', 't') and reltuples <> -1;
  update pg_class set reltuples = 0, relpages = 1, relallvisible = 0
    where oid >= 16384 and relkind = 'i' and (reltuples <> 0 or relpages <> 1)`

/** Tables that hold rows, or did. */
async function tablesInUse(pool: pg.Pool): Promise<{ name: string; octets: number }[]> {
  const { rows } = await pool.query<{ name: string; octets: number }>(`
    select relname as name, pg_table_size(oid)::integer as octets from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`)
  return rows
}

async function rowsOf(pool: pg.Pool, table: string): Promise<string> {
  const { rows } = await pool.query<{ all: string }>(
    `select string_agg(row::text, '' order by row::text) as all from ${table} as row`,
  )
  return rows[0]?.all ?? ''
}

/** Changes with every column, constraint, index, trigger, function or setting that comes, goes or changes. */
async function schemaOf(pool: pg.Pool): Promise<string> {
  const parts = ['attribute', 'constraint', 'index', 'trigger', 'proc', 'namespace', 'type'].map(
    (name) => `(select count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) from pg_${name})`,
  )
  // The catalog of settings is that of all databases of a server.
  const settings = `(select string_agg(setconfig::text, ' ') from pg_db_role_setting join pg_database on pg_database.oid = setdatabase
    where datname = current_database())`
  const { rows } = await pool.query<{ all: string }>(
    `select concat_ws(', ', ${[...parts, settings].join(', ')}) as all`,
  )
  return rows[0]?.all ?? ''
}
