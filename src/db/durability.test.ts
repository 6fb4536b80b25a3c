import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { assertDurable } from '#/db/durability.ts'
import { type Database, openDatabase } from '#/db/open.ts'
import { testDatabase } from '../../test/database.ts'
import { startPostgres } from '../../test/postgres.ts'

let database: Database
before(async () => {
  database = await testDatabase()
})
after(() => database[Symbol.asyncDispose]())

test('a database that syncs is taken', () => assertDurable(database.db))

for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
  test(`a database that says it has ${setting} off is refused`, async () => {
    const tx = await database.db.startTransaction().execute()
    await sql`create schema told`.execute(tx)
    await sql`create view told.pg_settings as
      select name, case name when ${sql.lit(setting)} then 'off' else setting end as setting from pg_catalog.pg_settings
    `.execute(tx)
    await sql`set local search_path = told, pg_catalog`.execute(tx)
    await assert.rejects(assertDurable(tx), new RegExp(`runs with ${setting} off`))
    await tx.rollback().execute()
  })
}

// 39. The server refuses to start on a PostgreSQL with fsync or full_page_writes off unless told so.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('a PostgreSQL server with fsync and full_page_writes off is refused', async () => {
    await using server = await startPostgres({ fsync: 'off', full_page_writes: 'off' })
    await using unsafe = await openDatabase({ url: server.url })
    await assert.rejects(assertDurable(unsafe.db), /runs with fsync and full_page_writes off/)
  })
}
