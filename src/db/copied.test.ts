// On both databases: what the server sends is read octet by octet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copied } from './copied.ts'

const { db } = await databaseOfFile()

const large = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
const bytesOf = (length: number) => sql`decode(${sql.lit(large.subarray(0, length).toString('hex'))}, 'hex')`

for (const [what, select, expected] of [
  ['octets of all kinds', sql`select '\\x00ff0d0a5c'::bytea`, [['00ff0d0a5c']]],
  ['columns, also without a value', sql`select '\\x01'::bytea, null::bytea, ''::bytea`, [['01', null, '']]],
  ['rows', sql`select '\\x01'::bytea from generate_series(1, 3)`, [['01'], ['01'], ['01']]],
  ['no row', sql`select '\\x01'::bytea where false`, []],
  ['much', sql`select ${bytesOf(200_000)}`, [[large.toString('hex')]]],
] satisfies readonly (readonly [string, RawBuilder<unknown>, readonly (readonly (string | null)[])[]])[])
  test(`${what} come out of the database as they are`, async () => {
    const hex = (rows: Awaited<ReturnType<typeof copied>>) =>
      rows.map((row) => row.map((bytes) => bytes?.toString('hex') ?? null))
    assert.deepEqual(hex(await copied(db, select)), expected)
    const inTransaction = await db
      .transaction()
      .execute(async (tx) => [await copied(tx, select), await copied(tx, select)])
    assert.deepEqual(inTransaction.map(hex), [expected, expected])
  })

test('a failure is told, and leaves the connection as it was', async () => {
  await assert.rejects(copied(db, sql`select ('x' || 1 / (1 - 1))::bytea`), /division by zero/)
  assert.deepEqual(await copied(db, sql`select 'a'::bytea`), [[Buffer.from('a')]])
})
