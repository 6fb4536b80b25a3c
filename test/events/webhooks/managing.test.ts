import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { revokeKey } from '#/people/keys/keys.ts'
import { untilReadable } from '#test/events/logged.ts'
import { World } from '#test/world/world.ts'
import { Hook, names, whileIt } from './hook.ts'
import { isGenuine } from './receiver.ts'

const hour = 3_600_000

const world = await World.ofFile({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

test('a secret that was rotated signs for another day', async () => {
  await using hook = await Hook.start(world)
  await hook.labels('Old')
  // A round signs with the secrets that it began with.
  await hook.untilListed(1)
  const rotated = (await hook.at('POST', '/rotate')).body
  assert.notEqual(rotated.secret, hook.secret)
  await hook.labels('Both')
  await hook.receiver.until(({ taken }) => taken.length === 2)
  for (const secret of [hook.secret, rotated.secret])
    assert.ok(hook.receiver.taken[1] && isGenuine(hook.receiver.taken[1], secret))
  // Else the lease ends as the clock goes on, and what was taken is delivered again.
  await hook.untilListed(2)
  await world.advance(25 * hour)
  await hook.labels('New')
  await hook.receiver.until(({ taken }) => taken.length === 3)
  const signatures = hook.receiver.taken.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)
  assert.deepEqual(signatures, [1, 2, 1])
})

test('a webhook gets what the key that made it may read, as long as that is valid', async () => {
  const organization = await world.organization()
  const narrow = await organization.newKey('webhooks:write', 'webhooks:read', 'events:read', 'labels:read')
  await using hook = await Hook.start(world, {}, organization, narrow)
  const { reads_as } = await hook.shown()
  await organization.request('POST', '/v1/blocked-senders', { pattern: 'bad@there.example' })
  await hook.labels('A')
  // That the webhook was paused is an event too, which has no order among those of labels.
  const others = () =>
    hook.receiver.taken.filter(({ content }) => content.type !== 'webhook.paused').map(({ name }) => name)
  await hook.receiver.until(() => others().length === 1)
  assert.deepEqual(others(), ['A'])
  await revokeKey(world.db, reads_as.id, world.clock.now(), byOperator)
  await hook.labels('B')
  await hook.untilShown(({ status }) => status === 'paused')
  assert.match((await hook.shown()).paused_because, /^Its key or member may no longer/)
  // Another key takes it over, with its own rights.
  const resumed = await hook.at('PATCH', '', { paused: false })
  assert.notEqual(resumed.body.reads_as.id, reads_as.id)
  await hook.receiver.until(() => others().length === 2)
  assert.deepEqual(others(), ['A', 'B'])
})

test('a span of events is delivered again, with the ids that they had', async () => {
  await using hook = await Hook.start(world)
  await hook.labels('A', 'B', 'C', 'D')
  await hook.receiver.until(({ taken }) => taken.length === 4)
  const ids = hook.receiver.taken.map(({ id }) => id).toSorted()
  // The round has ended that delivered them.
  await hook.untilListed(4)
  const { body } = await hook.at('POST', '/replay', { after: ids[0], until: ids[2] })
  assert.deepEqual(body, { replayed: 2, next: null })
  await hook.receiver.until(({ taken }) => taken.length === 6)
  const again = hook.receiver.taken.slice(4).map(({ id }) => id)
  assert.deepEqual(again.toSorted(), ids.slice(1, 3))
  for (const [replay, field] of [
    [{ event: ids[0], after: ids[0] }, 'event'],
    [{ until: ids[0] }, 'after'],
    [{ event: 'x' }, 'event'],
  ] as const) {
    const refused = await hook.at('POST', '/replay', replay)
    assert.deepEqual([refused.status, refused.body.error.field], [400, field])
  }
  assert.equal((await hook.at('POST', '/replay', { event: 'f'.repeat(13).padStart(28, '0') })).status, 404)
})

test('what is replayed while it is delivered is delivered again', async () => {
  await using hook = await Hook.start(world)
  let replays = 0
  hook.receiver.answers = async ({ id }, response) => {
    // At its first attempt an event is not stored for the webhook yet, at its second it is.
    const attempt = hook.receiver.all.length
    if (attempt === 2) {
      await world.advance(1_000)
      await hook.at('POST', '/replay', { event: id })
      replays++
    }
    response.writeHead(attempt === 1 ? 500 : 204).end()
  }
  await hook.labels('A')
  await hook.receiver.until(({ all }) => all.length === 1)
  await hook.untilShown(({ waiting }) => waiting === 1)
  await hook.pass(5_000, ({ taken }) => taken.length === 2)
  assert.equal(replays, 1)
  const ids = hook.receiver.taken.map(({ id }) => id)
  assert.equal(new Set(ids).size, 1)
  hook.receiver.answers = async ({ id, name }, response) => {
    if (name === 'B' && replays++ === 1) await hook.at('POST', '/replay', { event: id })
    response.writeHead(204).end()
  }
  await hook.labels('B')
  await hook.receiver.until((receiver) => names(receiver).filter((name) => name === 'B').length === 2)
})

test('what a replay puts in line before it came for the first time is delivered once', async () => {
  await using hook = await Hook.start(world)
  await hook.at('PATCH', '', { paused: true })
  // What is replayed during a round is delivered by it, and again.
  await hook.untilNoRound()
  // More than one round takes, and than are kept of what was delivered.
  const appended = Array.from({ length: 140 }, (_, number) => `a${number}`)
  await hook.append({ a: appended })
  await hook.labels('B')
  await untilReadable(world.db)
  const { body } = await hook.at('POST', '/replay', { after: '0'.repeat(28) })
  assert.equal(body.replayed, 141)
  await hook.at('PATCH', '', { paused: false })
  await hook.untilShown(({ waiting }) => waiting === 0)
  await hook.labels('C')
  await hook.receiver.until((receiver) => names(receiver).includes('C'))
  assert.deepEqual(names(hook.receiver).toSorted(), [...appended, 'B', 'C'].toSorted())
})

test('a test event is posted at once, and says what came of it', async () => {
  await using hook = await Hook.start(world)
  const { body } = await hook.at('POST', '/test')
  assert.deepEqual([body.delivered, body.status, body.error], [true, 204, null])
  const [received] = hook.receiver.taken
  assert.ok(received && isGenuine(received, hook.secret))
  assert.deepEqual([received.content.type, received.content.data], ['webhook.test', {}])
  hook.receiver.answers = whileIt(() => true, 500, 'broken')
  const failed = await hook.at('POST', '/test')
  assert.deepEqual([failed.body.delivered, failed.body.status, failed.body.answer], [false, 500, 'broken'])
})

test('deliveries are listed page by page', async () => {
  await using hook = await Hook.start(world)
  await hook.labels('A', 'B', 'C')
  await hook.receiver.until(({ taken }) => taken.length === 3)
  const of = async (query: string) => (await hook.at('GET', `/deliveries${query}`)).body
  await hook.untilListed(3)
  const first = await of('?limit=2&cursor=')
  const second = await of(`?limit=2&cursor=${first.next_cursor}`)
  const events = [...first.data, ...second.data].map(({ event }: { event: string }) => event)
  const taken = hook.receiver.taken.map(({ id }) => id)
  assert.deepEqual([events, second.next_cursor], [taken.toSorted().toReversed(), null])
  assert.deepEqual((await of('?state=failed')).data, [])
})

test('a webhook gets nothing of another organization', async () => {
  await using hook = await Hook.start(world)
  const other = await world.organization()
  await other.request('POST', '/v1/labels', { name: 'Theirs' })
  await hook.labels('Ours')
  await hook.receiver.until(({ taken }) => taken.length === 1)
  assert.deepEqual(names(hook.receiver), ['Ours'])
})

test('a body with `events` is told that they are in `types`', async () => {
  const organization = await world.organization()
  const body = { url: 'https://receiver.example/', events: ['message'] }
  const { status, body: refused } = await organization.request('POST', '/v1/webhooks', body)
  assert.deepEqual([status, refused.error.field], [400, 'events'])
  assert.match(refused.error.message, /which events it posts is in types/)
})
