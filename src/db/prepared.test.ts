import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '#test/world/database.ts'

const database = await testDatabase()
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

test('no query asks for all columns: one that a newer version adds would make a prepared one fail', () => {
  const src = join(import.meta.dirname, '..')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.test)\.ts$/.test(path))
  assert.ok(files.length > 50, 'the sources are found')
  const asking = files.filter((path) => /\.(?:selectAll|returningAll)\(/.test(readFileSync(join(src, path), 'utf8')))
  assert.deepEqual(asking, [])
})
