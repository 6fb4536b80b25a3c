// On both databases: processes count in one row.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { databaseOfFile } from '#test/world/database/database.ts'
import { countingStatements } from '#test/world/observe/counting-statements.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { SharedWindow } from './shared-window.ts'

const hour = 3_600_000

const database = await databaseOfFile()

/** A window of an hour in a process whose clock a test moves, and what of it the process holds unused. */
function windowOf(t: TestContext, quota: number) {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { db, count } = countingStatements(database.db, 'hold_requests')
  const id = randomUUID()
  const window = new SharedWindow(db, { quota, windowMs: hour })
  return {
    window,
    ask: (own?: number) => window.consume(id, own),
    advance: (ms: number) => {
      now += ms
      t.mock.timers.tick(ms)
    },
    statements: count,
    held: async () => {
      const text = 'select coalesce(sum(count), 0)::integer as held from request_holds where key_id = $1'
      const { rows } = await database.pool.query(text, [id])
      return rows[0].held as number
    },
    [Symbol.asyncDispose]: () => window[Symbol.asyncDispose](),
  }
}

test('requests that follow each other cost few statements', async (t) => {
  await using at = windowOf(t, 600)
  for (let n = 0; n < 2 + 4 + 8 + 16 + 32 + 64 + 64; n++) assert.equal((await at.ask()).allowed, true)
  assert.equal(at.statements(), 7)
  // Then one reports what was used, and one acquires two again.
  at.advance(1_000)
  for (let n = 0; n < 2; n++) await at.ask()
  assert.equal(at.statements(), 9)
  await at.ask()
  assert.equal(at.statements(), 10)
})

test('a refusal says when there is room again, and holds for a quarter of a second', async (t) => {
  await using at = windowOf(t, 1)
  assert.equal((await at.ask()).allowed, true)
  for (const statements of [2, 2]) {
    const { allowed, waitMs } = await at.ask()
    assert.equal(allowed, false)
    assert.ok(waitMs > 0 && waitMs <= hour, `${waitMs}`)
    assert.equal(at.statements(), statements)
  }
  at.advance(250)
  assert.equal((await at.ask()).allowed, false)
  assert.equal(at.statements(), 3)
})

test('what was acquired is not used when it may be no longer held', async (t) => {
  await using at = windowOf(t, 600)
  await at.ask()
  at.advance(3_999)
  await at.ask()
  const before = at.statements()
  await at.ask()
  at.advance(4_000)
  await at.ask()
  assert.equal(at.statements(), before + 2)
})

test('a process returns what it holds once it has been quiet for a second, and when it ends', async (t) => {
  await using at = windowOf(t, 600)
  await at.ask()
  assert.equal(await at.held(), 2)
  await at.window.report(performance.now() - 1)
  assert.equal(await at.held(), 2)
  at.advance(1_000)
  await onceWritten(async () => (await at.held()) === 0)
  const { remaining } = await at.ask()
  assert.equal(remaining, 598, 'the first use was reported')
  await at.window[Symbol.asyncDispose]()
  assert.equal(await at.held(), 0)
})

test('of a smaller quota a process holds as large a part as of the whole, and no more is let in', async (t) => {
  await using at = windowOf(t, 600)
  const answers = await Promise.all(Array.from({ length: 30 }, () => at.ask(30)))
  assert.ok(answers.every(({ allowed }) => allowed))
  assert.ok(at.statements() >= 30 / 4, `${at.statements()} statements: at most 4 are held`)
  assert.equal((await at.ask(30)).allowed, false)
})

test('at the edge of a window there is no second burst, whichever of three processes is asked', async (t) => {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  await using processes = new AsyncDisposableStack()
  const id = randomUUID()
  const [one, two, three] = [1, 2, 3].map(() => {
    const window = processes.use(new SharedWindow(database.db, { quota: 600, windowMs: hour }))
    return async () => {
      const answers = await Promise.all(Array.from({ length: 400 }, () => window.consume(id)))
      await window.report()
      return answers.filter(({ allowed }) => allowed).length
    }
  }) as [() => Promise<number>, () => Promise<number>, () => Promise<number>]
  // In the database it passes by itself too: half of the window is left to a busy machine.
  const pass = async (ms: number) => {
    now += ms
    await sql`update request_uses set used_at = used_at - ${ms} * interval '1 millisecond'`.execute(database.db)
  }
  assert.equal(await one(), 400)
  await pass(hour / 2)
  assert.deepEqual([await two(), await three()], [200, 0])
  await pass(hour / 2)
  assert.deepEqual([await three(), await two()], [400, 0])
})
