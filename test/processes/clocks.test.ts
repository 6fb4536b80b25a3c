// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { homeWithClock, setDatabaseClock } from '#test/faults/clock/database-clock.ts'
import { Fleet } from './fleet.ts'

const minutes = 60_000
const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0))

// The embedded database has one process. What else the database's clock decides is in test/faults/clock/clocks.test.ts.
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
    fleet.until(async () => {
      const { rows } =
        await sql`select from outbound_messages where state not in ('scheduled', 'failed') limit 1`.execute(fleet.db)
      return rows.length === 0
    })

  test('of each role there are two processes whose clocks are twenty minutes apart', () => {
    for (const role of ['api', 'mx', 'worker'] as const)
      for (const [number, ahead] of [10, -10].entries()) {
        const [, time] = /"time":(\d+)[^\n]*"Mailroom runs"/.exec(fleet.one(role, number).written()) ?? []
        const off = Number(time) - Date.now() - ahead * minutes
        // The line is as old as the start of all others.
        assert.ok(Math.abs(off) < 5 * minutes, `${role} ${number}: ${off} ms`)
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
}
