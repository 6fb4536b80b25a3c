import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { DirectoryInUse } from '#/base/db/directory-lock.ts'
import { startEngine } from '#/base/db/embedded/engine.ts'
import { Upkeep } from '#/base/db/embedded/upkeep.ts'
import type { WireStream } from '#/base/db/embedded/wire-stream.ts'
import { openDatabase } from '#/base/db/open.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { directoryOfFile, ofFile } from '#test/world/of-file.ts'

// On one database: the embedded one.

const parent = directoryOfFile()
const directory = join(parent, 'data')
const database = ofFile(await testDatabase({ directory }))

async function rows(sql: string): Promise<unknown[]> {
  return (await database.pool.query(sql)).rows
}

test('a new data directory gets its database whole, whatever an interrupted start left', async () => {
  const fresh = join(parent, 'fresh')
  mkdirSync(join(fresh, 'database.new'), { recursive: true })
  writeFileSync(join(fresh, 'database.new', 'PG_VERSION'), '18')
  await using opened = await openDatabase({ directory: fresh })
  assert.deepEqual((await opened.pool.query("select current_setting('fsync') as fsync")).rows, [{ fsync: 'on' }])
  assert.equal((await stat(join(fresh, 'database'))).mode & 0o777, 0o700)
  await assert.rejects(stat(join(fresh, 'database.new')))
})

test('a database that is open is not opened a second time', () =>
  assert.rejects(openDatabase({ directory }), DirectoryInUse))

test('a database that does not start says why, and the directory is free again', async () => {
  const damaged = join(parent, 'damaged')
  await (await testDatabase({ directory: damaged }))[Symbol.asyncDispose]()
  writeFileSync(join(damaged, 'database', 'PG_VERSION'), '17\n')
  const complaint = /damaged\/database does not start: FATAL: {2}database files are incompatible with server/
  await assert.rejects(openDatabase({ directory: damaged }), complaint)
  await assert.rejects(openDatabase({ directory: damaged }), complaint)
})

test('messages that a client writes ahead, in pieces of any size, are answered in order', async () => {
  const wire = join(parent, 'wire')
  await (await testDatabase({ directory: wire }))[Symbol.asyncDispose]()
  await using engine = await startEngine(join(wire, 'database'))
  for (const size of [1, 7, 10_000]) {
    const stream = engine.connect().connect()
    const answers = readAnswers(stream)
    const texts = Array.from({ length: 50 }, (_, n) => (n % 10 === 3 ? 'select 1 / 0' : `select 'answer ${n}'`))
    const bytes = Buffer.concat([startup, ...texts.map(query), Buffer.from([0x58, 0, 0, 0, 4])])
    for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size))
    const expected = texts.map((text, n) => (text.includes('/') ? 'division by zero' : `answer ${n}`))
    assert.deepEqual(await answers, expected)
    stream.destroy()
  }
})

test('rows of every size come whole and in order, small and large ones side by side', async () => {
  const sizes = [1, 20_000, 42_000, 10, 50_000, 56_000, 5, 70_000, 300_000, 1]
  for (const first of sizes) {
    const lengths = [first, ...sizes].map((size, place) => ({ place, size }))
    const { rows } = await database.pool.query(
      `select (one ->> 'place')::integer as place, repeat('x', (one ->> 'size')::integer) as text
       from jsonb_array_elements($1::jsonb) as one`,
      [JSON.stringify(lengths)],
    )
    const read = rows.map(({ place, text }) => ({ place, size: text.length }))
    assert.deepEqual(read, lengths)
  }
})

test('a connection that closes with a transaction open leaves nothing of it to the next', async () => {
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query("set time zone 'Asia/Tokyo'")
  await client.query('create table halfway (n integer)')
  client.release(true)
  const left = await rows("select to_regclass('halfway') as halfway, current_setting('TimeZone') as zone")
  assert.deepEqual(left, [{ halfway: null, zone: 'UTC' }])
})

test('when PostgreSQL dies, current work fails, and it restarts with all that was committed', async () => {
  await database.pool.query("insert into plans values ('committed', 1, 1, 1, 1)")
  const restarted = once(process, 'worker')
  const dying = database.pool.query('copy plans from stdin') // which PGlite takes for a broken connection: FATAL
  const waiting = database.pool.query('select 1')
  await assert.rejects(dying)
  await waiting.catch(() => {})
  await restarted
  assert.deepEqual(await rows("select count(*) from plans where name = 'committed'"), [{ count: 1 }])
})

test('the WAL is cut when 64 MiB have gathered', async () => {
  const upkeep = new Upkeep(database.pool)
  const redo = 'select redo_lsn from pg_control_checkpoint()'
  await database.pool.query('checkpoint')
  const before = await rows(redo)
  await database.pool.query('create table large (bytes bytea storage external)')
  await upkeep.checkpointIfDue()
  assert.deepEqual(await rows(redo), before)
  for (let n = 0; n < 5; n++) await database.pool.query('insert into large values ($1)', [Buffer.alloc(14 << 20)])
  await upkeep.checkpointIfDue()
  assert.notDeepEqual(await rows(redo), before)
})

test('a table whose rows died is vacuumed and analyzed, and its large values', async () => {
  const upkeep = new Upkeep(database.pool)
  await database.pool.query('create table busy (n integer, large text storage external)')
  await database.pool.query("insert into busy select n, repeat('x', 5000) from generate_series(1, 500) as n")
  await database.pool.query('delete from busy where n > 100')
  await database.pool.query('select pg_stat_force_next_flush()') // the counters lag by up to a second
  const state = `select n_dead_tup as dead, s.last_vacuum is not null as vacuumed, s.last_analyze is not null as analyzed
    from pg_stat_all_tables s join pg_class c on c.oid = s.relid or c.reltoastrelid = s.relid
    where c.relname = 'busy' order by s.relid`
  await upkeep.vacuumIfDue()
  assert.deepEqual(await rows(state), [
    { dead: 0, vacuumed: true, analyzed: true },
    { dead: 0, vacuumed: true, analyzed: false },
  ])
})

const startup = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0])

function query(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + text.length + 1)
  return Buffer.concat([Buffer.from('Q'), length, Buffer.from(`${text}\0`)])
}

/** The text of each row and each error that comes until the stream ends. */
async function readAnswers(stream: WireStream): Promise<string[]> {
  const bytes = Buffer.concat(await stream.toArray())
  const answers: string[] = []
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    const type = String.fromCharCode(bytes[at] ?? 0)
    const body = bytes.subarray(at + 5, at + 1 + bytes.readUInt32BE(at + 1))
    if (type === 'D') answers.push(body.subarray(6).toString())
    if (type === 'E') answers.push(/\0M([^\0]*)\0/.exec(body.toString())?.[1] ?? '')
  }
  return answers
}
