import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { assertDurable } from '#/db/durability.ts'
import { openDatabase } from '#/db/open.ts'
import { testDatabase } from '../../test/database.ts'
import { startPostgres } from '../../test/postgres.ts'

test('a database that syncs is taken', async () => {
  await using database = await testDatabase()
  await assertDurable(database.db)
})

for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
  test(`a database that says it has ${setting} off is refused`, async () => {
    await using database = await testDatabase()
    await database.db.connection().execute(async (connection) => {
      await sql`create schema told`.execute(connection)
      await sql`create view told.pg_settings as
        select name, case name when ${sql.lit(setting)} then 'off' else setting end as setting from pg_catalog.pg_settings
      `.execute(connection)
      await sql`set search_path = told, pg_catalog`.execute(connection)
      await assert.rejects(assertDurable(connection), new RegExp(`runs with ${setting} off`))
    })
  })
}

// 39. The server refuses to start on a PostgreSQL with fsync or full_page_writes off unless told so.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('a PostgreSQL server with fsync and full_page_writes off is refused', async () => {
    await using server = await startPostgres({ fsync: 'off', full_page_writes: 'off' })
    await using database = await openDatabase({ url: server.url })
    await assert.rejects(assertDurable(database.db), /runs with fsync and full_page_writes off/)
  })
}
