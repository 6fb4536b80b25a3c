// On both databases: each connection prepares statements for itself.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { databaseOfFile } from '#test/world/database/database.ts'

const database = await databaseOfFile()

async function prepared(part: string): Promise<number> {
  const text = 'select name from pg_prepared_statements where statement like $1'
  const { rows } = await database.pool.query(text, [`%${part}%`])
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

test('a transaction that begins with its first statement is undone as a whole, whatever that statement is', async () => {
  await database.db.connection().execute(async (db) => {
    await sql`create temporary table tried (n integer not null)`.execute(db)
    const firsts = [sql`insert into tried values (${1}::integer)`, sql`insert into tried values (1)`]
    // More often than it takes until the statement is prepared.
    for (const first of [...firsts, ...firsts, ...firsts, ...firsts]) {
      const undone = db.transaction().execute(async (tx) => {
        await first.execute(tx)
        await sql`insert into tried values (${null}::integer)`.execute(tx)
      })
      await assert.rejects(undone, /null value/)
    }
    assert.deepEqual((await sql`select n from tried`.execute(db)).rows, [])
    await sql`drop table tried`.execute(db)
  })
})

test('a transaction runs after one that failed at its first statement, or had none', async () => {
  await database.db.connection().execute(async (db) => {
    for (const divisor of [1, 0, 2, 0, 5]) {
      const quotient = db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ result: number }>`select 10 / ${divisor}::int as result`.execute(tx)
        return rows[0]?.result
      })
      if (divisor === 0) await assert.rejects(quotient, /division by zero/)
      else assert.equal(await quotient, 10 / divisor)
      await db.transaction().execute(async () => {})
      const changed = db.transaction().execute(() => Promise.reject(new Error('changed its mind')))
      await assert.rejects(changed, /its mind/)
      const { rows } = await sql`select now() = statement_timestamp() as outside`.execute(db)
      assert.deepEqual(rows, [{ outside: true }])
    }
  })
})

test('no query asks for all columns: one that a newer version adds would make a prepared one fail', () => {
  const src = join(import.meta.dirname, '../../..')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.test)\.ts$/.test(path))
  assert.ok(files.length > 50, 'the sources are found')
  const asking = files.filter((path) => /\.(?:selectAll|returningAll)\(/.test(readFileSync(join(src, path), 'utf8')))
  assert.deepEqual(asking, [])
})
