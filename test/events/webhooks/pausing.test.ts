// On both databases: workers lease webhooks from each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { logged } from '#test/events/logged.ts'
import { messagesIn, newestIn } from '#test/world/letters/letter.ts'
import { World } from '#test/world/world.ts'
import { Hook, names, whileIt } from './hook.ts'
import { Receiver } from './receiver.ts'

const [second, hour] = [1_000, 3_600_000]

const world = await World.ofFile({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

test('a webhook that fails for three days is paused, with an event, and continues where it was once resumed', async () => {
  await using hook = await Hook.start(world)
  hook.receiver.answers = whileIt(() => true, 500)
  await hook.labels('First')
  await hook.untilShown(({ status }) => status === 'failing')
  await world.advance(73 * hour)
  await hook.untilShown(({ status }) => status === 'paused')
  await hook.labels('Second')
  const { paused_because, failing_since } = await hook.shown()
  assert.deepEqual([paused_because, failing_since === null], ['It answered 500', false])
  const appended = await logged(hook.organization, 'webhook')
  assert.equal(appended.length, 1)
  const item = { id: hook.id, name: `127.0.0.1:${hook.receiver.port}` }
  assert.partialDeepStrictEqual(appended[0], { type: 'webhook.paused', by: { kind: 'service' }, item })
  hook.receiver.answers = undefined
  assert.equal((await hook.at('PATCH', '', { paused: false })).body.status, 'active')
  await hook.receiver.until(({ taken }) => taken.length >= 1)
  // What it had given up is there to be done again.
  const [failed] = await hook.deliveries('?state=failed')
  if (failed)
    assert.deepEqual((await hook.at('POST', '/replay', { event: failed.event })).body, { replayed: 1, next: null })
  await hook.receiver.until(({ taken }) => taken.length === 2)
  assert.deepEqual(names(hook.receiver).toSorted(), ['First', 'Second'])
})

test('a webhook that is paused or deleted while an event is posted stays so', async () => {
  await using hook = await Hook.start(world)
  hook.receiver.answers = async ({ name }, response) => {
    await (name === 'a1' ? hook.at('PATCH', '', { paused: true }) : hook.at('DELETE'))
    response.writeHead(204).end()
  }
  await hook.append({ a: ['a1'] })
  await hook.receiver.until(({ taken }) => taken.length === 1)
  await hook.untilShown(({ status }) => status === 'paused')
  await hook.append({ a: ['a2'] })
  await using other = await Hook.start(world, undefined, hook.organization)
  await hook.append({ a: ['a3'] })
  await other.receiver.until((receiver) => names(receiver).includes('a3'))
  assert.deepEqual([names(hook.receiver), (await hook.stored()).status], [['a1'], 'paused'])
  await hook.at('PATCH', '', { paused: false })
  // The round continues with claimed deliveries.
  await hook.receiver.until(({ taken }) => taken.length === 3)
  assert.equal((await hook.at('GET')).status, 404)
})

test('a webhook that gets another URL tries what has failed at once, and stays paused where it was', async () => {
  await using hook = await Hook.start(world)
  await using right = await Receiver.start()
  hook.receiver.answers = whileIt(() => true, 500)
  await hook.labels('A')
  await hook.untilShown(({ status }) => status === 'failing')
  // The next attempt is seconds away, and the clock is stopped.
  const url = `http://127.0.0.1:${right.port}/`
  assert.equal((await hook.at('PATCH', '', { url })).body.failing_since, null)
  await right.until(({ taken }) => taken.length === 1)
  await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
  await hook.at('PATCH', '', { paused: true })
  assert.equal((await hook.at('PATCH', '', { url: `${url}again` })).body.status, 'paused')
})

const failedBy = (code: number, becomes: string) => async (hook: Hook) => {
  hook.receiver.answers = whileIt(() => true, code)
  await hook.labels('A')
  await hook.untilShown(({ status }) => status === becomes)
  hook.receiver.answers = undefined
}
const failing = failedBy(500, 'failing')
// With 410 the webhook is paused at once.
const given = failedBy(410, 'paused')
for (const [state, fail] of [
  ['fails', failing],
  ['was paused since it failed', given],
] as const)
  for (const [what, act] of [
    ['a test succeeds', (hook: Hook) => hook.at('POST', '/test')],
    ['its URL changes', (hook: Hook) => hook.at('PATCH', '', { url: `http://127.0.0.1:${hook.receiver.port}/new` })],
    [
      'a replay succeeds',
      async (hook: Hook) => {
        const [{ event }] = await hook.deliveries()
        return hook.at('POST', '/replay', { event })
      },
    ],
  ] as const)
    test(`a webhook that ${state} goes on at once when ${what}`, async () => {
      await using hook = await Hook.start(world)
      await fail(hook)
      // The clock stands still: nothing would be due.
      assert.equal((await act(hook)).status, 200)
      await hook.receiver.until((receiver) => names(receiver).includes('A'))
      await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
    })

test('a test that fails, and one of a webhook that somebody paused, change nothing', async () => {
  await using hook = await Hook.start(world)
  await given(hook)
  hook.receiver.answers = whileIt(() => true, 500)
  assert.equal((await hook.at('POST', '/test')).body.delivered, false)
  assert.equal((await hook.at('GET')).body.status, 'paused')
  hook.receiver.answers = undefined
  await hook.at('PATCH', '', { paused: false })
  await hook.at('PATCH', '', { paused: true })
  assert.equal((await hook.at('POST', '/test')).body.delivered, true)
  assert.equal((await hook.at('GET')).body.status, 'paused')
})

test('a webhook that is resumed during a round starts again, whatever the result of that round', async () => {
  await using hook = await Hook.start(world)
  const { promise: tried, resolve: begin } = Promise.withResolvers<void>()
  const { promise: resumed, resolve: go } = Promise.withResolvers<void>()
  hook.receiver.answers = async (_, response) => {
    begin()
    await resumed
    // Without the pause in between it would be paused by this.
    response.writeHead(410).end()
  }
  await hook.labels('A')
  await tried
  for (const paused of [true, false]) assert.equal((await hook.at('PATCH', '', { paused })).status, 200)
  hook.receiver.answers = undefined
  go()
  // The clock stands still: it is due at once.
  await hook.receiver.until(({ taken }) => taken.length === 1)
  await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
  const [{ attempts }] = await hook.deliveries()
  assert.deepEqual([attempts, (await hook.stored()).failing_since], [2, null])
})

test('what a round delivers while the webhook is resumed is not delivered again', async () => {
  await using hook = await Hook.start(world)
  hook.receiver.answers = async (_, response) => {
    const attempt = hook.receiver.all.length
    if (attempt === 2) {
      await world.advance(second)
      for (const paused of [true, false]) await hook.at('PATCH', '', { paused })
    }
    response.writeHead(attempt === 1 ? 500 : 204).end()
  }
  await hook.labels('A')
  await hook.receiver.until(({ all }) => all.length === 1)
  await hook.untilShown(({ waiting }) => waiting === 1)
  await hook.pass(5 * second, ({ taken }) => taken.length === 1)
  await hook.untilShown(({ waiting }) => waiting === 0)
  await hook.labels('B')
  await hook.receiver.until((receiver) => names(receiver).includes('B'))
  assert.deepEqual(names(hook.receiver), ['A', 'B'])
})

test('the owners get a message when a webhook is paused, with its reason, and no secret of its URL', async () => {
  const organization = await world.organization()
  const boxes: Record<string, string> = {}
  for (const [localPart, role] of Object.entries({ ada: 'owner', bob: 'owner', cy: 'admin' } as const)) {
    const { address } = await organization.mailbox(localPart)
    await organization.member(address, role)
    boxes[localPart] = address
  }
  await using hook = await Hook.start(world, { name: 'Orders “über”', types: ['label'] }, organization)
  hook.receiver.answers = whileIt(() => true, 410)
  await hook.labels('A')
  await hook.untilShown(({ status }) => status === 'paused')
  await world.outbound.processAll()
  for (const owner of ['ada', 'bob']) {
    const [message, ...more] = await messagesIn(organization, boxes[owner] ?? '')
    assert.deepEqual([message?.subject, more], ['The webhook Orders “über” is paused', []])
    const raw = await newestIn(organization, boxes[owner] ?? '')
    assert.match(raw, /^Auto-Submitted: auto-generated\r$/m)
    assert.match(raw, new RegExp(`^From: .*<postmaster@${organization.domain}>\r$`, 'm'))
    assert.match(raw, /^Return-Path: <>/m)
    const { body } = await organization.request('GET', `/v1/messages/${message?.uid}?mailbox=${boxes[owner]}`)
    assert.match(body.text, /The reason: It answered 410 \(Gone\)\. Nothing has been delivered since \w{3}, /)
    assert.doesNotMatch(body.text, /\/hook/)
  }
  assert.deepEqual(await messagesIn(organization, boxes.cy ?? ''), [])
})

test('a webhook whose organization is suspended waits', async () => {
  await using hook = await Hook.start(world)
  // A round that has begun before delivers what it reads, and one begins for any event, be it that the webhook was made.
  await hook.labels('Before')
  await hook.receiver.until(({ taken }) => taken.length === 1)
  await hook.untilNoRound()
  await sql`update organizations set suspended_at = now() where id = ${hook.organization.id}`.execute(world.db)
  await hook.append({ a: ['a1'] })
  await using other = await Hook.start(world)
  await other.labels('A')
  await other.receiver.until(({ taken }) => taken.length === 1)
  assert.deepEqual(names(hook.receiver), ['Before'])
  await sql`update organizations set suspended_at = null where id = ${hook.organization.id}`.execute(world.db)
  await hook.receiver.until(({ taken }) => taken.length === 2)
})
