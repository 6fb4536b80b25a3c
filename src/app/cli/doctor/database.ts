import { sql } from 'kysely'
import type pg from 'pg'
import type { Config } from '#/app/config/config.ts'
import { unsafeSettings } from '#/base/db/connections/durability.ts'
import { appliedMigrations, missingOf, readMigrations, UnfitDatabase } from '#/base/db/migrate.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Checks the database. */
export async function databaseFindings(config: Config, database: Database): Promise<Finding[]> {
  const { db, pool, embedded } = database
  const { allowUnsafeDatabase } = config
  const checks = [
    versionFinding(db, embedded),
    ...(embedded ? [] : [durabilityFinding(db, allowUnsafeDatabase)]),
    migrationFinding(pool),
    clockFinding(db),
  ]
  return await Promise.all(checks)
}

/** The finding for a database that cannot be opened. */
export function unreachable({ secrets }: Config, reason: string): Finding {
  const fix =
    secrets.databaseUrl === undefined
      ? 'Stop the other process, or check that the data directory is complete and yours'
      : 'Check that the server of DATABASE_URL runs, and that user, password and database are right'
  return problem('database', `cannot be opened: ${reason}`, fix)
}

async function versionFinding(db: Db, embedded: boolean): Promise<Finding> {
  const { rows } = await sql<{ version: string; number: number }>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as number`.execute(db)
  const { version = 'unknown', number = 0 } = rows[0] ?? {}
  const found = `PostgreSQL ${version}, ${embedded ? 'embedded' : 'on a server'}`
  return number < 150_000 ? problem('database', found, 'Use PostgreSQL 15 or later') : ok('database', found)
}

/** With one of these settings off, a crash of the machine can lose committed transactions. */
async function durabilityFinding(db: Db, allowed: boolean): Promise<Finding> {
  const off = (await unsafeSettings(db)).join(' and ')
  const check = 'durability'
  if (off === '') return ok(check, 'committed transactions are on disk')
  const fix = `Turn ${off} on in postgresql.conf`
  return allowed
    ? warning(check, `${off} off, which MAILROOM_ALLOW_UNSAFE_DATABASE allows`, fix)
    : problem(check, `${off} off: accepted mail can be lost`, fix)
}

async function migrationFinding(pool: pg.Pool): Promise<Finding> {
  const check = 'migrations'
  const [known, applied] = await Promise.all([readMigrations(), appliedMigrations(pool)])
  try {
    const missing = missingOf(known, applied).map(({ name }) => name)
    if (missing.length === 0) return ok(check, `all ${applied.length} applied`)
    return warning(check, `not applied yet: ${missing.join(', ')}`, 'Run `mailroom migrate`, or start the server')
  } catch (error) {
    if (!(error instanceof UnfitDatabase)) throw error
    return problem(check, error.message, error.fix)
  }
}

/** Allowances, claims and dates of auto-replies use the database's clock, the expiry of keys this machine's. */
async function clockFinding(db: Db): Promise<Finding> {
  const check = 'clock'
  const before = Date.now()
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const middle = (before + Date.now()) / 2
  const apart = Math.abs((rows[0]?.now.getTime() ?? middle) - middle) / 1_000
  if (apart <= 2) return ok(check, "agrees with the database's")
  const found = `differs from the database's by ${apart.toFixed(1)} s`
  const fix = 'Set the clocks of both machines by NTP'
  return apart <= 60 ? warning(check, found, fix) : problem(check, found, fix)
}
