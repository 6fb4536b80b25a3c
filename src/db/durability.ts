import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * A server that does not sync, or does not write full pages, can lose or tear what it has acknowledged, and we answer
 * 250 on its word. The operator may accept that by the option `allowUnsafeDatabase`.
 * @throws Error naming the settings
 */
export async function assertDurable(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_settings where name in ('fsync', 'full_page_writes') and setting <> 'on' order by name
  `.execute(db)
  if (rows.length === 0) return
  const settings = rows.map(({ name }) => name).join(' and ')
  throw new Error(
    `The PostgreSQL server runs with ${settings} off, so mail that was accepted could be lost in a crash. ` +
      'Turn it on, or allow it by allowUnsafeDatabase',
  )
}
