// On both databases: a query is cancelled by another connection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { databaseOfFile, testDatabase } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { short } from './short.ts'

const database = await databaseOfFile()

const twice = async (number: number) => {
  const { rows } = await sql<{ twice: number }>`select ${number}::integer * 2 as twice`.execute(short(database.db))
  const [row] = rows
  return row?.twice
}
const tenth = async (number: number) => {
  const { rows } = await sql<{ part: number }>`select 10 / ${number}::integer as part`.execute(short(database.db))
  const [row] = rows
  return row?.part
}

test('each of many that are asked at once gets its own answer', async () => {
  const numbers = Array.from({ length: 300 }, (_, number) => number)
  const answers = await Promise.all(numbers.map(twice))
  assert.deepEqual(answers, [...numbers.map((number) => number * 2)])
})

test('one that fails leaves those beside it alone', async () => {
  const results = await Promise.allSettled([1, 0, 2, 0, 5].map(tenth))
  const found = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))
  assert.deepEqual(found, [10, '22012', 5, '22012', 2])
})

test('what is filled in is never part of the text', async () => {
  const text = "'; drop table labels; --"
  assert.deepEqual((await sql`select ${text}::text as text`.execute(short(database.db))).rows, [{ text }])
})

test('a fragment that statements share is text, and the values around it keep their places', async () => {
  const both = sql`number in (2, 3)`
  const { rows: found } =
    await sql`select number from generate_series(${1}::integer, ${9}::integer) number where ${both} and number > ${2}::integer`.execute(
      short(database.db),
    )
  assert.deepEqual(found, [{ number: 3 }])
})

test('inside a transaction it sees what the transaction did', async () => {
  await database.db.transaction().execute(async (tx) => {
    await sql`create temporary table mine (number integer) on commit drop`.execute(tx)
    await sql`insert into mine values (${7}::integer)`.execute(tx)
    assert.deepEqual((await sql`select number from mine where number = ${7}::integer`.execute(tx)).rows, [
      { number: 7 },
    ])
  })
})

test('a database that was closed is not asked any more', async () => {
  const closing = await testDatabase()
  assert.deepEqual((await sql`select ${1}::integer as one`.execute(short(closing.db))).rows, [{ one: 1 }])
  await closing[Symbol.asyncDispose]()
  await assert.rejects(sql`select ${1}::integer as one`.execute(short(closing.db)))
})

if (process.env.TEST_DATABASE_URL !== undefined) {
  test('a connection that the server ends fails those who wait on it, and the next gets another', async () => {
    const first = sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(short(database.db))
    const settled = Promise.allSettled([
      first,
      sql`select pg_sleep(${60}::integer) as slept`.execute(short(database.db)),
      twice(2),
    ])
    const { pid } = (await first).rows[0] ?? { pid: 0 }
    await sql`select pg_terminate_backend(${pid})`.execute(database.db)
    const results = await settled
    assert.deepEqual(each(results, 'status'), ['fulfilled', 'rejected', 'rejected'])
    assert.equal(await twice(21), 42)
  })
}
