// On both databases: a server decides what it syncs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#/app/config/config.ts'
import { startServer } from '#/app/server/start.ts'
import { assertDurable } from '#/base/db/connections/durability.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { secret as MAILROOM_SECRET } from '#test/world/installation.ts'

const database = await databaseOfFile()

test('a database that syncs is accepted', () => assertDurable(database.db))

for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
  test(`a database that says it has ${setting} off is refused`, async () => {
    const tx = await database.db.startTransaction().execute()
    await sql`create schema fake_settings`.execute(tx)
    await sql`create view fake_settings.pg_settings as
      select name, case name when ${sql.lit(setting)} then 'off' else setting end as setting from pg_catalog.pg_settings
    `.execute(tx)
    await sql`set local search_path = fake_settings, pg_catalog`.execute(tx)
    await assert.rejects(assertDurable(tx), new RegExp(`runs with ${setting} off`))
    await tx.rollback().execute()
  })

if (process.env.TEST_DATABASE_URL !== undefined) {
  test('no start on a PostgreSQL server with fsync and full_page_writes off, unless that is allowed', async () => {
    await using postgres = await startPostgres({ fsync: 'off', full_page_writes: 'off' })
    const ports = { PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0' }
    const env = { ...ports, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent', MAILROOM_SECRET }
    const start = (more: Record<string, string> = {}) => startServer(readConfig({ ...env, ...more }), { bare: true })
    await assert.rejects(start(), /runs with fsync and full_page_writes off/)
    await using _started = await start({ MAILROOM_ALLOW_UNSAFE_DATABASE: '1' })
  })
}
