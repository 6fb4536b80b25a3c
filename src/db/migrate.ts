import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

export interface Migration {
  name: string
  sql: string
  /** SHA-256 of the file, in hex. */
  checksum: string
}

const ownDirectory = join(import.meta.dirname, 'migrations')
/** Any number, as long as nothing else in the database takes this lock. */
const advisoryLock = 7_016_220_354

/** The migrations in `directory`, in the order in which they apply: `NNN-subject.sql`. */
export async function readMigrations(directory = ownDirectory): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{3}-.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8')
      return { name, sql, checksum: hash('sha256', sql, 'hex') }
    }),
  )
}

/** Applies all migrations, each in a transaction of its own. Processes that start together wait for each other. A database
 *  that does not match the files is not changed. @throws Error naming the migration that failed, was changed after it was
 *  applied, or is unknown to this program */
export async function migrate(pool: pg.Pool, migrations?: readonly Migration[]): Promise<void> {
  const wanted = migrations ?? (await readMigrations())
  const client = await pool.connect()
  try {
    while (await applyNext(client, wanted)) {}
  } finally {
    client.release()
  }
}

/** Whether there was one to apply. */
async function applyNext(client: pg.PoolClient, migrations: readonly Migration[]): Promise<boolean> {
  await client.query('begin isolation level read committed') // to see what was applied while it waited
  try {
    await client.query('set local statement_timeout = 0')
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    const next = nextOf(migrations, await appliedMigrations(client))
    if (next) await apply(client, next)
    await client.query('commit')
    return next !== undefined
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function appliedMigrations(client: pg.PoolClient): Promise<Applied[]> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz(3) not null default clock_timestamp()
  )`)
  const { rows } = await client.query<Applied>('select name, checksum from schema_migrations order by name collate "C"')
  return rows
}

interface Applied {
  name: string
  checksum: string
}

/** The first one that is not applied. Checks that all applied ones are these, unchanged and without a gap. */
function nextOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration | undefined {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const [index, { name, checksum }] of applied.entries()) {
    const migration = known.get(name)
    if (!migration)
      throw new Error(
        `The database has migration ${name}, which this version of Mailroom does not know: it was made by a newer one`,
      )
    if (migration.checksum !== checksum)
      throw new Error(`Migration ${name} was changed after it had been applied to the database`)
    const expected = migrations[index]
    if (expected && expected.name !== name)
      throw new Error(`The database has migration ${name} but not ${expected.name}, which comes before it`)
  }
  return migrations[applied.length]
}

async function apply(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(sql)
  } catch (cause) {
    throw new Error(`Migration ${name} failed: ${(cause as Error).message}`, { cause })
  }
  await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
}
