// On both databases: workers claim messages at once, share an allowance, and claim what is being cancelled.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sealedPiece } from '#/out/queue/sealed.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const relay = new AcceptingRelay()
let organization: TestOrganization
let address: string
const world = await World.ofFile({ relay })
await world.db
  .insertInto('plans')
  .values({ name: 'three', domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 3 })
  .execute()
beforeEach(async () => {
  relay.taken.length = 0
  organization = await world.organization()
  address = (await organization.mailbox('ada')).address
})

/** Schedules so many messages that are due, one recipient each, and answers their ids. */
async function schedule(count: number): Promise<string[]> {
  const due = oneEach(count, new Date()).map((one, n) => ({ ...one, sendAt: new Date(world.clock.now() - 1_000 + n) }))
  await insertDue(world.db, { organizationId: organization.id, address }, due)
  return due.map(({ id }) => id)
}

async function listed(): Promise<Map<string, { status: string; last_error: string | null }>> {
  const { data } = (await organization.request('GET', '/v1/scheduled')).body
  return new Map(data.map(({ id, ...rest }: { id: string; status: string; last_error: string | null }) => [id, rest]))
}

const sent = () => relay.taken.map((recipient) => recipient.split('@')[0] ?? '').toSorted()
const sentToday = async () => (await organization.request('GET', '/v1/usage')).body.sending.sent_today
const total = async () => (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=sent`)).body.total

test('many that are due together are sent, each once and with its copy in Sent', async () => {
  const ids = await schedule(130)
  await world.rounds.processAll()
  assert.deepEqual([sent(), await total(), await sentToday()], [ids.toSorted(), 130, 130])
  assert.equal((await listed()).size, 0)
})

test('a message that cannot be dated is deferred alone, and the others are sent in the same round', async () => {
  const ids = await schedule(6)
  const [broken = '', ...others] = ids.toSorted()
  await world.db
    .updateTable('outbound_pieces')
    .set({ bytes: sealedPiece(mailKey, broken, 0, Buffer.from('Subject: No date\r\n\r\n')) })
    .where('message_id', '=', broken)
    .execute()
  await world.rounds.processAll()
  assert.deepEqual([sent(), await sentToday()], [others, 5])
  const left = await listed()
  assert.deepEqual([...left.keys()], [broken])
  const last_error = 'Internal error; the next attempt is made in the next round'
  assert.partialDeepStrictEqual(left.get(broken), { status: 'sending', last_error })
})

test('where the day has room for some of them, as many go, and it is not passed', async () => {
  await world.db.updateTable('organizations').set({ plan: 'three' }).where('id', '=', organization.id).execute()
  const ids = await schedule(5)
  await world.rounds.processAll()
  assert.deepEqual([sent(), await sentToday()], [ids.slice(0, 3).toSorted(), 3])
  const left = await listed()
  for (const id of ids.slice(3)) assert.equal(left.get(id)?.last_error, 'Daily sending allowance reached')
})

test('where the copies cannot be stored together none is sent twice, and each is there in the end', async () => {
  const ids = await schedule(3)
  const removed = ids[1] ?? ''
  // Its mailbox is deleted between the claim and the end.
  const gone = await organization.mailbox('bea')
  await world.db
    .updateTable('outbound_messages')
    .set({ mailbox_id: gone.id, sender: gone.address })
    .where('id', '=', removed)
    .execute()
  relay.gate = async () => {
    relay.gate = async () => {}
    await world.db.deleteFrom('mail_folders').where('mailbox_id', '=', gone.id).execute()
    await world.db.deleteFrom('mailboxes').where('id', '=', gone.id).execute()
  }
  await world.rounds.processAll()
  assert.deepEqual([sent(), await total(), (await listed()).size], [ids.toSorted(), 2, 0])
})

test('of a thousand cancels against the claim each cancels its message, never sent, or is refused, sent once', async (t) => {
  const relay = new AcceptingRelay()
  await using world = await World.start({ relay })
  const { organization, address } = await world.mailbox('ada')
  const due = oneEach(1_000, new Date(world.clock.now()))
  await insertDue(world.db, { organizationId: organization.id, address }, due)
  const ids = due.map(({ id }) => id)
  let working = true
  const rounds = world.rounds.processAll().then(() => {
    working = false
  })
  const answers = new Map<string, number>()
  // Those that are cancelled next are among those that are claimed next, and for each that is asked about one goes.
  const left = ids.toSorted()
  const next = () => left.splice(Math.floor(Math.random() * Math.min(240, left.length)), 1)[0]
  const held: (() => void)[] = []
  relay.gate = () => new Promise((go) => (answers.size < ids.length ? held.push(go) : go()))
  let meetings = 0
  const cancel = async (key: string) => {
    for (let id = next(); id !== undefined; id = next()) {
      // A thousand times that is less than the lease, which is extended by the time of the machine.
      world.clock.advance(15)
      if (working) meetings++
      const { status, body } = await organization.request('DELETE', `/v1/scheduled/${id}`, undefined, { key })
      answers.set(id, status)
      for (const go of held.splice(0, answers.size < ids.length ? 1 : held.length)) go()
      // Once it is sent it is no longer there.
      if (status !== 200)
        assert.ok(status === 404 || (status === 400 && /sending/.test(body.error.message)), `${status}`)
    }
  }
  const keys = await Promise.all(Array.from({ length: 4 }, () => organization.newKey('scheduled:write')))
  await Promise.all(keys.map(cancel))
  await rounds
  await world.rounds.processAll()
  const cancelled = ids.filter((id) => answers.get(id) === 200)
  const sent = relay.taken.map((recipient) => recipient.split('@')[0] ?? '')
  t.diagnostic(`${cancelled.length} cancelled, ${sent.length} sent, ${meetings} asked while the round went on`)
  assert.ok(
    cancelled.length > 0 && sent.length > 0 && meetings > 0,
    `${cancelled.length} cancelled, ${sent.length} sent`,
  )
  assert.deepEqual(sent.toSorted(), ids.filter((id) => answers.get(id) !== 200).toSorted())
  assert.deepEqual((await organization.request('GET', '/v1/scheduled')).body.data, [])
  const { total } = (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=sent`)).body
  assert.equal(total, sent.length)
})

const minute = 60_000

test('three workers and as many programs, all at once, do not send more in a day than the plan allows, nor less', async () => {
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await testDatabase())
  const relay = new AcceptingRelay()
  const start = async () => resources.use(await World.start({ database, relay }))
  const [first, ...others] = [await start(), await start(), await start()]
  const worlds = [first, ...others]
  const { organization, address } = await first.mailbox('ada', { plan: 'free' })
  const now = new Date(first.clock.now())
  // 120 recipients, and 75 of the programs, where the plan allows 100.
  const due = Array.from({ length: 60 }, () => {
    const id = randomUUID()
    return { id, recipients: [`a-${id}@there.example`, `b-${id}@there.example`], sendAt: now }
  })
  await insertDue(database.db, { organizationId: organization.id, address }, due)
  const later = { from: address, to: 'cy@there.example', text: 'Hi', send_at: now.toISOString() }
  const { id: promised, warnings } = await organization.bodyOf(201, 'POST', '/v1/scheduled', later)
  assert.match(warnings[0], /already promised/)
  await organization.bodyOf(200, 'DELETE', `/v1/scheduled/${promised}`)
  const answers = worlds.flatMap((world) =>
    Array.from({ length: 5 }, () => {
      const to = Array.from({ length: 5 }, () => `${randomUUID()}@there.example`)
      const body = { from: address, to, text: 'Hi' }
      return world.client.request('POST', '/v1/send', { key: organization.key, body })
    }),
  )
  const rounds = worlds.map((world) => world.rounds.processAll())
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(new Set(statuses).difference(new Set([202, 402])), new Set())
  const accepted = statuses.filter((status) => status === 202).length
  await Promise.all(rounds)
  for (const world of worlds) await world.outbound.processAll()

  const usage = async () => (await organization.request('GET', '/v1/usage')).body.sending
  const { sent_today: sentToday, remaining_today: remaining } = await usage()
  assert.equal(relay.taken.length, new Set(relay.taken).size)
  assert.equal(relay.taken.length, sentToday)
  // What is left is less than any of them needs.
  assert.deepEqual([sentToday + remaining, remaining < 2], [100, true])
  const { data: waiting } = (await organization.request('GET', '/v1/scheduled')).body
  assert.equal(2 * (60 - waiting.length) + 5 * accepted, sentToday)
  for (const { status, last_error } of waiting)
    assert.deepEqual([status, last_error], ['sending', 'Daily sending allowance reached'])

  for (let round = 0; round < 2; round++) {
    for (const world of worlds) await world.advance(8 * minute)
    await Promise.all(worlds.map((world) => world.rounds.processAll()))
  }
  const { data: failed } = (await organization.request('GET', '/v1/scheduled')).body
  assert.deepEqual(new Set(failed.map(({ status }: { status: string }) => status)), new Set(['failed']))
  assert.deepEqual(
    [failed.length, relay.taken.length, await usage()],
    [waiting.length, sentToday, { sent_today: sentToday, limit_per_day: 100, remaining_today: remaining }],
  )
})
