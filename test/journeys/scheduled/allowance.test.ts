// On both databases: three workers share an allowance.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { testDatabase } from '#test/world/database/database.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { insertDue } from '#test/world/mail/due-mail.ts'
import { World } from '#test/world/world.ts'

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
  const accepted = (await Promise.all(answers)).filter(({ status }) => status === 202).length
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
