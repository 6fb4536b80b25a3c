// On both databases: the clock of the database is another than ours.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { databaseTime } from '#/base/db/time.ts'
import { perMinute } from '#/http/access/authorize.ts'
import { SharedWindow } from '#/http/rate/shared-window.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { ofFile } from '#test/world/of-file.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { homeWithClock, setDatabaseClock } from './database-clock.ts'

const minute = 60_000

const taken: string[] = []
const relays = [new AcceptingRelay(taken), new AcceptingRelay(taken)] as const
let organization: TestOrganization
let ada: string

process.env.TZ = 'Europe/Berlin'
const home = ofFile(await homeWithClock())
const database = ofFile(await home.open())
/** A process whose own clock is ten minutes ahead of the database's, and one whose clock is ten behind. The zone of their
 *  host is on daylight saving time until an hour after the midnight that the tests go through. */
const fast = await World.ofFile({ database, relay: relays[0], time: databaseTime })
const slow = await World.ofFile({ database, relay: relays[1], time: databaseTime })
for (const { dns } of [fast, slow]) dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })

beforeEach(async () => {
  // The clock goes back: what is due by then must have gone.
  for (const world of [fast, slow]) await world.outbound.processAll()
  taken.length = 0
  await setClock('2026-10-24T12:00:00.000Z')
  organization = await fast.organization({ plan: 'free' })
  ada = (await organization.mailbox('ada')).address
})

/** Sets the database's clock, and the wrong clocks of the processes by it. */
async function setClock(at: string): Promise<void> {
  await setDatabaseClock(database.db, at)
  const now = Date.parse(at)
  fast.clock.advance(now + 10 * minute - fast.clock.now())
  slow.clock.advance(now - 10 * minute - slow.clock.now())
}

const by = (world: World, method: string, path: string, body?: object) =>
  world.client.request(method, path, { key: organization.key, ...(body && { body }) })

async function sending(world: World) {
  return (await by(world, 'GET', '/v1/usage')).body.sending
}

const schedule = (world: World, sendAt: string, more: object = {}) =>
  by(world, 'POST', '/v1/scheduled', { from: ada, to: 'bob@there.example', text: 'Hello', send_at: sendAt, ...more })

async function scheduled() {
  return (await by(fast, 'GET', '/v1/scheduled')).body.data
}

function send(world: World, recipients: number) {
  const to = Array.from({ length: recipients }, (_, n) => `r${n}@there.example`)
  return by(world, 'POST', '/v1/send', { from: ada, to, text: 'Hello' })
}

test('the clocks are what they are meant to be', async () => {
  await setClock('2026-10-24T23:59:59.999Z')
  const { rows } = await sql<{ now: Date; clock: Date; here: string }>`
    select now(), clock_timestamp() as clock, to_char(now(), 'HH24') as here`.execute(database.db)
  const at = new Date('2026-10-24T23:59:59.999Z')
  // On a server each connection asks for UTC.
  assert.deepEqual(rows, [{ now: at, clock: at, here: database.embedded ? '19' : '23' }])
  assert.equal(at.getHours(), 1)
  assert.equal(fast.clock.now() - slow.clock.now(), 20 * minute)
})

test("the day's allowance ends with the database's UTC day, for every process and in every zone", async () => {
  await setClock('2026-10-24T23:59:59.999Z')
  for (const world of [fast, slow, fast, slow]) assert.equal((await send(world, 25)).status, 202)
  for (const world of [fast, slow]) {
    assert.deepEqual(await sending(world), { sent_today: 100, limit_per_day: 100, remaining_today: 0 })
    assert.equal((await send(world, 1)).body.error.code, 'quota_exceeded')
  }
  await setClock('2026-10-25T00:00:00.000Z')
  for (const world of [fast, slow]) assert.equal((await sending(world)).remaining_today, 100)
  for (const world of [slow, fast]) assert.equal((await send(world, 25)).status, 202)
  // The hour from two to three comes twice in Berlin, then midnight in New York, then in London.
  for (const at of ['00:59:59.999', '01:00:00.000', '01:30:00.000', '04:00:00.000', '23:59:59.999']) {
    await setClock(`2026-10-25T${at}Z`)
    for (const world of [fast, slow]) assert.equal((await sending(world)).sent_today, 50, at)
  }
  await setClock('2026-10-26T00:00:00.000Z')
  for (const world of [fast, slow]) assert.equal((await sending(world)).sent_today, 0)
})

test('what finds the day full a moment before midnight goes on the next day, and counts there', async () => {
  await setClock('2026-10-24T23:59:59.999Z')
  for (const world of [fast, slow, fast, slow]) assert.equal((await send(world, 25)).status, 202)
  assert.equal((await schedule(slow, '2026-10-24T23:59:59Z')).status, 201)
  await fast.rounds.processAll()
  taken.length = 0
  const errors = (await scheduled()).map(({ last_error }: { last_error: string }) => last_error)
  assert.deepEqual(errors, ['Daily sending allowance reached'])
  await setClock('2026-10-25T00:05:00.000Z')
  // Either may be the first to claim it, and the other passes over what is being claimed.
  for (const world of [slow, fast]) await world.rounds.processAll()
  assert.deepEqual([taken, await scheduled()], [['bob@there.example'], []])
  for (const world of [fast, slow]) assert.equal((await sending(world)).sent_today, 1)
})

test("the window of send_at is by the database's clock", async () => {
  for (const world of [fast, slow]) {
    assert.equal((await schedule(world, '2026-10-24T11:59:01Z')).status, 201)
    const past = await schedule(world, '2026-10-24T11:58:59Z')
    assert.deepEqual([past.status, past.body.error.message], [400, 'That time has already passed'])
    assert.equal((await schedule(world, '2026-11-24T12:00:59Z')).status, 201)
    const far = await schedule(world, '2026-11-24T12:01:01Z')
    assert.deepEqual([far.status, far.body.error.message], [400, 'Messages can be scheduled up to a month ahead'])
  }
  await database.db.deleteFrom('outbound_messages').execute()
})

test("messages are due by the database's clock, and sent once", async () => {
  await schedule(slow, '2026-10-24T12:03:00Z', { to: 'later@there.example' })
  await schedule(fast, '2026-10-24T12:00:00Z', { to: 'now@there.example' })
  for (const world of [slow, fast]) await world.rounds.processAll()
  assert.deepEqual(taken, ['now@there.example'])
  await setClock('2026-10-24T12:02:59.999Z')
  for (const world of [fast, slow]) await world.rounds.processAll()
  assert.deepEqual(taken, ['now@there.example'])
  await setClock('2026-10-24T12:03:00.000Z')
  for (const world of [slow, fast]) await world.rounds.processAll()
  assert.deepEqual(taken, ['now@there.example', 'later@there.example'])
})

test("a claim of one process holds for the other by the database's clock", async (t) => {
  const begun = Promise.withResolvers<World>()
  const answered = Promise.withResolvers<void>()
  relays.forEach((relay, which) => {
    relay.gate = () => {
      begun.resolve(which === 0 ? fast : slow)
      return answered.promise
    }
  })
  t.after(() => answered.resolve())
  assert.equal((await send(slow, 1)).status, 202)
  const one = await begun.promise
  await setClock('2026-10-24T12:00:19.000Z')
  await (one === fast ? slow : fast).outbound.processAll()
  const { end_of_data_sent } = await database.db
    .selectFrom('outbound_recipients')
    .select('end_of_data_sent')
    .executeTakeFirstOrThrow()
  assert.deepEqual([taken, end_of_data_sent], [[], true])
  answered.resolve()
  await one.outbound.processAll()
  assert.deepEqual(taken, ['r0@there.example'])
})

test("since when a mailbox answers or forwards is by the database's clock", async () => {
  const configure = (world: World, change: object) => by(world, 'PATCH', '/v1/forwarding', { mailbox: ada, ...change })
  const write = (world: World, from: string) => world.send({ from, to: ada, subject: 'Hello', text: 'Hello' })
  const settings = { reply_body: 'Away', reply_enabled: true, forward_to: 'ada@there.example', forward_enabled: true }
  const { body } = await configure(fast, settings)
  assert.deepEqual([body.reply.since, body.forward.since], ['2026-10-24T12:00:00.000Z', '2026-10-24T12:00:00.000Z'])
  await setClock('2026-10-24T12:00:01.000Z')
  await write(slow, 'bob@far.example')
  for (const world of [slow, fast]) await world.outbound.processAll()
  assert.deepEqual(taken.splice(0).toSorted(), ['ada@there.example', 'bob@far.example'])

  const until = '2026-10-24T12:05:00.000Z'
  assert.equal((await configure(slow, { reply_until: until, forward_until: until })).status, 200)
  await setClock('2026-10-24T12:04:59.999Z')
  await write(fast, 'cy@far.example')
  for (const world of [fast, slow]) await world.outbound.processAll()
  assert.deepEqual(taken.splice(0).toSorted(), ['ada@there.example', 'cy@far.example'])
  await setClock(until)
  await write(slow, 'di@far.example')
  for (const world of [slow, fast]) await world.outbound.processAll()
  assert.deepEqual(taken, [])
})

test('a clock that is set back by forty days leaves no key without its requests', async () => {
  await using resources = new AsyncDisposableStack()
  const [one, two] = [0, 1].map(() => resources.use(new SharedWindow(database.db, perMinute)))
  assert.ok(one && two)
  const id = randomUUID()
  const use = async (window: SharedWindow) => {
    const answers = await Promise.all(Array.from({ length: perMinute.quota }, () => window.consume(id)))
    return answers.filter(({ allowed }) => allowed).length
  }
  assert.equal(await use(one), perMinute.quota)
  await one.report()
  assert.equal(await use(two), 0)
  await setClock('2026-09-14T12:00:00.000Z')
  const three = resources.use(new SharedWindow(database.db, perMinute))
  assert.equal(await use(three), perMinute.quota)
})
