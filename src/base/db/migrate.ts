import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { statementsOf } from './migration-statements.ts'

export interface Migration {
  name: string
  sql: string
  /** SHA-256 of the statements, in hex. */
  checksum: string
}

const ownDirectory = join(import.meta.dirname, 'migrations')
/** Any number, as long as nothing else in the database takes this lock. */
const advisoryLock = 7_016_220_354
/** The first migration of every database that was made before version 0.9.0, which began with new migrations. */
export const firstBeforeBaseline = '001-organizations.sql'

/** The migrations in `directory`, in the order in which they apply: `NNN-subject.sql`. */
export async function readMigrations(directory = ownDirectory): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{3}-.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8')
      return { name, sql, checksum: hash('sha256', statementsOf(sql), 'hex') }
    }),
  )
}

/** What is applied, in order; nothing in a database that no program has migrated. */
export async function appliedMigrations(client: Pick<pg.ClientBase, 'query'>): Promise<Applied[]> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_migrations') is not null as there`,
  )
  if (!found[0]?.there) return []
  const { rows } = await client.query<Applied>('select name, checksum from schema_migrations order by name collate "C"')
  return rows
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
    await client.query(`create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz(3) not null default clock_timestamp()
    )`)
    const [next] = missingOf(migrations, await appliedMigrations(client))
    if (next) await apply(client, next)
    await client.query('commit')
    return next !== undefined
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

export interface Applied {
  name: string
  checksum: string
}

/** Those that are not applied. @throws UnfitDatabase unless all applied ones are these, unchanged and without a gap */
export function missingOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  if (applied[0]?.name === firstBeforeBaseline)
    throw new UnfitDatabase(
      'The database was made by a version of Mailroom before 0.9.0, which this version cannot upgrade',
      'Move it: run `mailroom export FILE` with the last version before 0.9.0, then `mailroom import FILE` with this one and a ' +
        'new database (docs/moving.md)',
    )
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const [index, { name, checksum }] of applied.entries()) {
    const migration = known.get(name)
    if (!migration)
      throw new UnfitDatabase(
        `The database has migration ${name}, which this version of Mailroom does not know: it was made by a newer one`,
        'Start that version again, or a later one',
      )
    if (migration.checksum !== checksum)
      throw new UnfitDatabase(
        `Migration ${name} was changed after it had been applied to the database`,
        `Put back ${name} as it is in the version of Mailroom that made the database`,
      )
    const expected = migrations[index]
    if (expected && expected.name !== name)
      throw new UnfitDatabase(
        `The database has migration ${name} but not ${expected.name}, which comes before it`,
        'Use the version of Mailroom that made the database, or restore a backup',
      )
  }
  return migrations.slice(applied.length)
}

/** What the database has is not what the program's migrations make: they cannot go on from there. */
export class UnfitDatabase extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.name = 'UnfitDatabase'
    this.fix = fix
  }
}

async function apply(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(sql)
  } catch (cause) {
    throw new Error(`Migration ${name} failed: ${(cause as Error).message}`, { cause })
  }
  await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
}
