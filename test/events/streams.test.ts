// On both databases: what one connection commits another is notified of.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { createKey, revokeKey } from '#/people/keys/keys.ts'
import { nextRequest } from '#test/world/sockets/next-request.ts'
import { World } from '#test/world/world.ts'
import { events, filter, furnished, label, now, patch } from './furnished.ts'
import { EventStream } from './reader.ts'

const world = await World.ofFile()

test('a stream has past and new events, and continues where it broke, with nothing twice', async () => {
  const one = await furnished(world)
  const { key } = one.organization
  const made: string[] = []
  const make = async (count: number) => {
    for (let number = 0; number < count; number++) made.push((await label(one)).body.id)
  }
  await make(3)
  const seen: string[] = []
  let after: string | undefined
  for (let part = 0; part < 3; part++) {
    await using stream = await EventStream.open(world.base, { key, query: '?types=label', after })
    assert.match(stream.response.headers.get('content-type') ?? '', /^text\/event-stream/)
    await make(2)
    const until = made.length - 1
    while (seen.length < until) {
      const { id, event } = (await stream.next()) ?? {}
      assert.equal(event.id, id)
      seen.push(event.item.id)
    }
    after = stream.lastEventId
  }
  assert.deepEqual(seen, made.slice(0, seen.length))
})

test('who asks for a stream at the path of the pages gets the same', async () => {
  const one = await furnished(world)
  const { key } = one.organization
  await using stream = await EventStream.open(world.base, { key, path: '/v1/events', accept: 'text/event-stream' })
  await using usual = await EventStream.open(world.base, { key })
  await label(one)
  assert.deepEqual(await stream.next(), await usual.next())
})

for (const [method, query, status] of [
  ['GET', '?limit=5', 400],
  ['HEAD', '', 200],
] as const)
  test(`the path of the stream answers ${status} to ${method} ${query}, and ends`, async () => {
    const { organization } = await furnished(world)
    const { key } = organization
    assert.equal((await world.client.request(method, `/v1/events/stream${query}`, { key })).status, status)
  })

test('a stream without an event for 15 s sends a comment with an id to continue from', async () => {
  const one = await furnished(world)
  const { key } = one.organization
  const start = await now(world, one)
  const since = performance.now()
  let passed = 0
  const clock = mock.method(performance, 'now', () => since + passed)
  try {
    await using stream = await EventStream.open(world.base, { key, query: '?types=filter', after: start })
    assert.equal(await stream.frame(), 'retry: 1000')
    // Events that it does not ask for wake it.
    const wake = async () => {
      await label(one)
      await now(world, one)
    }
    await wake()
    passed = 14_999
    await wake()
    await filter(one)
    const [, last = ''] = /^id: (\w{28})\ndata: /.exec((await stream.frame()) ?? '') ?? []
    passed += 15_000
    await wake()
    const [, id = ''] = /^: nothing new\nid: (\w{28})$/.exec((await stream.frame()) ?? '') ?? []
    assert.ok(last > start && id >= last, `${start}, ${last}, ${id}`)
    await using resumed = await EventStream.open(world.base, { key, query: '?types=filter', after: id })
    await patch(one, `/v1/filters/${(await filter(one)).body.id}`, { enabled: false })
    assert.deepEqual(
      [(await resumed.next())?.event.type, (await resumed.next())?.event.type],
      ['filter.created', 'filter.changed'],
    )
  } finally {
    clock.mock.restore()
  }
})

test('a stream ends with its key', async () => {
  const one = await furnished(world)
  const scopes = ['events:read', 'labels:read'] as const
  const made = await createKey(
    world.db,
    one.organization.id,
    { name: '', scopes, expiresAt: null },
    world.clock.now(),
    byOperator,
  )
  const key = made.secret
  await using stream = await EventStream.open(world.base, { key, query: '?after=now' })
  await label(one, 'Heard')
  assert.equal((await stream.next())?.event.item.name, 'Heard')
  await revokeKey(world.db, made.key.id, world.clock.now(), byOperator)
  // A lookup of a key is cached for four seconds.
  const passed = performance.now() + 4_000
  const clock = mock.method(performance, 'now', () => passed)
  try {
    await label(one)
    assert.equal(await stream.next(), undefined)
  } finally {
    clock.mock.restore()
  }
})

test('streams and waiting requests end when the service stops', async () => {
  const stopping = await World.start()
  const organization = await stopping.organization()
  const one = { organization }
  const start = (await events(one, '?after=now')).body.next
  await using stream = await EventStream.open(stopping.base, { key: organization.key, query: '?after=now' })
  const came = nextRequest()
  const waiting = organization.request('GET', `/v1/events?after=${start}&wait=50`)
  await came
  const stopped = stopping[Symbol.asyncDispose]()
  assert.deepEqual((await waiting).body.data, [])
  assert.equal(await stream.next(), undefined)
  await stopped
})
