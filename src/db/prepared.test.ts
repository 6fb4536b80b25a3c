import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import type { Database } from './open.ts'

let database: Database
before(async () => {
  database = await testDatabase()
})
after(() => database[Symbol.asyncDispose]())

async function prepared(part: string): Promise<number> {
  const { rows } = await database.pool.query('select name from pg_prepared_statements where statement like $1', [
    `%${part}%`,
  ])
  return rows.length
}

test('a statement that comes again and again is prepared, and answers as before', async () => {
  await database.db.connection().execute(async (db) => {
    for (let n = 0; n < 20; n++) {
      const { rows } = await sql<{ twice: number }>`select ${n}::int * 2 as twice`.execute(db)
      assert.deepEqual(rows, [{ twice: n * 2 }])
    }
  })
  assert.equal(await prepared('* 2 as twice'), 1)
})

test('statements that differ each time are not', async () => {
  for (let n = 0; n < 20; n++) await sql`select ${n}::int as ${sql.ref(`n${n}`)}`.execute(database.db)
  assert.equal(await prepared('::int as "n'), 0)
})

test('a prepared statement that fails may be tried again', async () => {
  for (let n = 0; n < 20; n++) {
    const divide = sql<{ result: number }>`select 10 / ${n % 2}::int as result`.execute(database.db)
    if (n % 2 === 0) await assert.rejects(divide)
    else assert.equal((await divide).rows[0]?.result, 10)
  }
})
