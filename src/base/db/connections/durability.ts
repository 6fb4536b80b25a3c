import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The settings of a PostgreSQL server with which it can lose or damage committed data. */
export async function unsafeSettings(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name
  `.execute(db)
  return rows.map(({ name }) => name)
}

/** We answer 250 because the database has committed. The operator may accept an unsafe one by
 *  MAILROOM_ALLOW_UNSAFE_DATABASE. @throws Error naming the settings */
export async function assertDurable(db: Kysely<Schema>): Promise<void> {
  const settings = await unsafeSettings(db)
  if (settings.length === 0) return
  throw new Error(
    `The PostgreSQL server runs with ${settings.join(' and ')} off, so mail that was accepted could be lost in a crash. ` +
      'Turn it on, or set MAILROOM_ALLOW_UNSAFE_DATABASE=1',
  )
}
