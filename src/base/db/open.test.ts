// On both databases: connections are opened, cut and counted.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from 'kysely'
import { databaseOfFile, testDatabase } from '#test/world/database/database.ts'

const database = await databaseOfFile()

async function value(expression: string, parameters: unknown[] = []): Promise<unknown> {
  const { rows } = await database.pool.query<{ value: unknown }>(`select ${expression} as value`, parameters)
  return rows[0]?.value
}

for (const [what, expression, expected] of [
  ['a bigint as a number', '9007199254740991::bigint', 9007199254740991],
  ['a count as a number', '(select count(*) from plans)', 4],
  ['a numeric as a number', '-0.25::numeric', -0.25],
  ['an array of bigints as numbers', 'array[1, null, 3]::bigint[]', [1, null, 3]],
  ['an array of arrays as such', 'array[[1, 2]]::numeric[]', [[1, 2]]],
  ['a date as it is written', "'2026-11-21'::date", '2026-11-21'],
  ['dates as they are written', "array['2026-11-21']::date[]", ['2026-11-21']],
  ['a timestamp as a Date', "'2026-11-21 07:44:33.123+02'::timestamptz", new Date('2026-11-21T05:44:33.123Z')],
  ['bytes as a Buffer', "'\\x00ff'::bytea", Buffer.from([0, 255])],
  ['jsonb parsed', '\'{"a": [1]}\'::jsonb', { a: [1] }],
  ['texts as an array', "array['a,b', null]", ['a,b', null]],
  ['a day of UTC, whatever zone the machine is in', "'2026-11-21 23:30Z'::timestamptz::date", '2026-11-21'],
] as const)
  test(`a column gives ${what}`, async () => assert.deepEqual(await value(expression), expected))

const large = '9007199254740992'
for (const expression of [`${large}::bigint`, '1e20::numeric', `array[-${large}]::bigint[]`, "'NaN'::numeric"])
  test(`${expression} is refused, since no number stands for it`, async () => {
    await assert.rejects(value(expression), RangeError)
    assert.equal(await value('1'), 1)
  })

test('25 MiB of bytes come back as they went in', async () => {
  const bytes = randomBytes(25 * 1024 * 1024)
  assert.ok(bytes.equals((await value('$1::bytea', [bytes])) as Buffer))
})

test('a transaction left open when its connection comes back is rolled back', async () => {
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query("insert into plans values ('left open', 1, 1, 1, 1)")
  client.release()
  assert.equal(await value("(select count(*) from plans where name = 'left open')"), 0)
})

test('after an error inside a transaction the connection continues', async () => {
  const plan = { name: 'x', domains: 1, mailboxes: 1, storage_bytes: 1, sends_per_day: 1 }
  const failing = database.db.transaction().execute(async (tx) => {
    await tx.insertInto('plans').values(plan).execute()
    await sql`select 1 / 0`.execute(tx)
  })
  await assert.rejects(failing, { code: '22012' })
  assert.equal(await value("(select count(*) from plans where name = 'x')"), 0)
})

test('more work than there are connections waits its turn', async () => {
  const sums = await Promise.all(Array.from({ length: 100 }, (_, n) => value('$1::integer + 1', [n])))
  assert.deepEqual(new Set(sums.map((sum, n) => Number(sum) - n)), new Set([1]))
})

test('what was planned while a table had a row goes by its index once it has thousands', async () => {
  const client = await database.pool.connect()
  try {
    await client.query(`
      create temporary table message (id integer primary key);
      create temporary table piece (message_id integer references message);
      insert into message values (0);
      analyze message`)
    // After some times the check of a foreign key has a plan that stays.
    await client.query('insert into piece select 0 from generate_series(1, 10)')
    const wholeReads = async () => {
      const { rows } = await client.query("select seq_scan from pg_stat_xact_all_tables where relname = 'message'")
      return rows[0].seq_scan
    }
    await client.query('begin')
    await client.query('insert into message select generate_series(1, 5000)')
    const before = await wholeReads()
    await client.query('insert into piece select generate_series(4991, 5000)')
    assert.equal(await wholeReads(), before)
  } finally {
    await client.query('rollback')
    client.release()
  }
})

if (process.env.TEST_DATABASE_URL !== undefined) {
  test('a connection keeps the limit of whoever has it', async () => {
    const { db, patient } = database
    const limits: string[] = []
    for (const one of [db, patient, patient, db])
      await one.transaction().execute(async (tx) => {
        const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(tx)
        limits.push(rows[0]?.statement_timeout ?? '')
      })
    assert.deepEqual(limits, ['8s', '20s', '20s', '8s'])
  })

  test('a connection that the server ends while it is idle is replaced by another', async () => {
    const { pool } = database
    const [one, other] = [await pool.connect(), await pool.connect()]
    const ended = once(pool, 'error')
    const { rows } = await one.query<{ pid: number }>('select pg_backend_pid() as pid')
    one.release()
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    other.release()
    await ended
    assert.deepEqual(await Promise.all([value('1'), value('2')]), [1, 2])
  })
}

test('disposing waits for what is borrowed', async () => {
  const closing = await testDatabase()
  const client = await closing.pool.connect()
  const disposed = closing[Symbol.asyncDispose]()
  assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }])
  client.release()
  await disposed
})
