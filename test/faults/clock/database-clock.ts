import { sql } from 'kysely'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'

/** PostgreSQL's own functions come first unless the path says otherwise. */
const settings = { search_path: 'public, pg_catalog', timezone: "'America/New_York'" }

/** A database whose clock stands still until it is set, and whose own time zone has daylight saving. */
export async function homeWithClock(): Promise<DatabaseHome> {
  const home = await databaseHome()
  await using database = await home.open()
  const { db } = database
  await sql`create table hands (at timestamptz not null)`.execute(db)
  await sql`insert into hands values (now())`.execute(db)
  for (const [name, volatility] of [
    ['now', 'stable'],
    ['clock_timestamp', 'volatile'],
  ] as const)
    await sql`
      create function public.${sql.ref(name)}() returns timestamptz language sql ${sql.raw(volatility)}
        as 'select at from public.hands'`.execute(db)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  for (const [name, value] of Object.entries(settings))
    await sql`alter database ${sql.id(rows[0]?.name ?? '')} set ${sql.ref(name)} = ${sql.raw(value)}`.execute(db)
  return { ...home, open: async () => await withSettings(await home.open()) }
}

/** The embedded database ignores settings of a database, but has one connection. */
async function withSettings(database: Database): Promise<Database> {
  if (!database.embedded) return database
  for (const [name, value] of Object.entries(settings)) await database.pool.query(`set ${name} = ${value}`)
  return database
}

/** Sets the database's clock. */
export async function setDatabaseClock(db: Db, at: string): Promise<void> {
  await sql`update hands set at = ${at}`.execute(db)
}
