// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { homeWithClock, setDatabaseClock } from '#test/faults/clock/database-clock.ts'
import { limitFor } from '#test/world/limit-for.ts'
import { Fleet, soon } from './fleet.ts'

const minutes = 60_000
const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0))

// The embedded database has one process. What the clock of one decides is in test/faults/clock/clocks.test.ts.
if (process.env.TEST_DATABASE_URL !== undefined) {
  let resources: AsyncDisposableStack
  let fleet: Fleet
  let ada: string
  before(async () => {
    resources = new AsyncDisposableStack()
    const home = resources.use(await homeWithClock())
    fleet = resources.use(
      await Fleet.start({
        home,
        env: (_role, number) => ({
          NODE_OPTIONS: `--import ${fileURLToPath(new URL('./skewed-clock.ts', import.meta.url))}`,
          CLOCK_AHEAD_MS: String((number === 0 ? 10 : -10) * minutes),
          TZ: number === 0 ? 'Pacific/Auckland' : 'America/New_York',
        }),
      }),
    )
    ada = fleet.organization.addresses[0] ?? ''
    await fleet.db
      .insertInto('plans')
      .values({ name: 'few', domains: 1, mailboxes: 9, storage_bytes: 2 ** 30, sends_per_day: 100 })
      .execute()
    await fleet.db.updateTable('organizations').set({ plan: 'few' }).execute()
  })
  after(() => resources.disposeAsync())

  const setClock = (at: Date) => setDatabaseClock(fleet.db, at.toISOString())
  const earlier = (ms: number) => new Date(midnight.getTime() - ms)
  const by = (api: number, method: string, path: string, body?: object) =>
    fleet.request(fleet.one('api', api), method, path, body)
  const send = async (api: number, recipients: number) => {
    const to = Array.from({ length: recipients }, (_, n) => `r${n}@there.example`)
    return (await by(api, 'POST', '/v1/send', { from: ada, to, text: 'Hello' })).status
  }
  const sentToday = async (api: number) => (await by(api, 'GET', '/v1/usage')).body.sending.sent_today
  const went = () => fleet.sink.taken.splice(0).flatMap(({ to }) => to)
  const atRest = () =>
    soon(limitFor(30_000), 'the queue is empty', async () => {
      const { rows } =
        await sql`select from outbound_messages where state not in ('scheduled', 'failed') limit 1`.execute(fleet.db)
      return rows.length === 0
    })

  test('of each role there are two processes whose clocks are twenty minutes apart', () => {
    for (const role of ['api', 'mx', 'worker'] as const) {
      for (const [number, ahead] of [10, -10].entries()) {
        const [, time] = /"time":(\d+)[^\n]*"Mailroom runs"/.exec(fleet.one(role, number).written()) ?? []
        const off = Number(time) - Date.now() - ahead * minutes
        // The line is as old as the start of all others.
        assert.ok(Math.abs(off) < 5 * minutes, `${role} ${number}: ${off} ms`)
      }
    }
  })

  test("the day's allowance is of the database's UTC day, whichever process is asked", async () => {
    await setClock(earlier(1))
    for (const api of [0, 1, 0, 1]) assert.equal(await send(api, 25), 202)
    for (const api of [0, 1]) assert.deepEqual([await sentToday(api), await send(api, 1)], [100, 402])
    await setClock(midnight)
    for (const api of [0, 1]) assert.equal(await sentToday(api), 0)
    for (const api of [1, 0]) assert.equal(await send(api, 1), 202)
    for (const api of [0, 1]) assert.equal(await sentToday(api), 2)
    await atRest()
    assert.equal(went().length, 102)
  })

  test("the window and the time of scheduled messages are by the database's clock, and each is sent once", async () => {
    const at = new Date(midnight.getTime() + 3_600_000)
    await setClock(at)
    const schedule = async (api: number, ahead: number) => {
      const sendAt = new Date(at.getTime() + ahead).toISOString()
      return await by(api, 'POST', '/v1/scheduled', { from: ada, to: 'bob@there.example', text: 'Hi', send_at: sendAt })
    }
    for (const api of [0, 1]) {
      assert.equal((await schedule(api, -61_000)).body.error?.message, 'That time has already passed')
      assert.equal((await schedule(api, 3 * minutes)).status, 201)
    }
    // Both workers make a round every second.
    const rounds = async () => {
      for (const api of [0, 1]) assert.equal((await schedule(api, 0)).status, 201)
      await soon(limitFor(30_000), 'what is due has gone', async () => fleet.sink.taken.length >= 2)
      await atRest()
      return went().length
    }
    assert.equal(await rounds(), 2)
    await setClock(new Date(at.getTime() + 3 * minutes - 1))
    assert.equal((await by(0, 'GET', '/v1/scheduled')).body.data.length, 2)
    await setClock(new Date(at.getTime() + 3 * minutes))
    await soon(
      limitFor(30_000),
      'the rest has gone',
      async () => (await by(1, 'GET', '/v1/scheduled')).body.data.length === 0,
    )
    await atRest()
    assert.equal(went().length, 2)
  })

  test("since when a mailbox answers, and until when, is by the database's clock", async () => {
    const at = new Date(midnight.getTime() + 2 * 3_600_000)
    await setClock(at)
    const until = new Date(at.getTime() + 5 * minutes)
    const away = { mailbox: ada, reply_body: 'Away', reply_enabled: true, reply_until: until.toISOString() }
    const { body } = await by(0, 'PATCH', '/v1/forwarding', away)
    assert.equal(body.reply.since, at.toISOString())
    const write = async (mx: number, from: string) =>
      assert.equal(await fleet.hand(fleet.one('mx', mx), from, ada, { From: from, To: ada }), '250 2.6.0')
    await setClock(new Date(until.getTime() - 1))
    for (const mx of [0, 1]) await write(mx, `early${mx}@far.example`)
    await atRest()
    assert.deepEqual(went().sort(), ['early0@far.example', 'early1@far.example'])
    await setClock(until)
    for (const mx of [0, 1]) await write(mx, `late${mx}@far.example`)
    await atRest()
    assert.deepEqual(went(), [])
  })
}
