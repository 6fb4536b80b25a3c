import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { appendEvents } from '#/base/event-log/append.ts'
import { cursorText, readCursor } from '#/base/event-log/cursor.ts'
import { anchorLog, boundsOf, eventsAfter, forgetEvents, newsFrom } from '#/base/event-log/log.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { addPersonalItems } from '#test/world/organization/personal-items.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'
import { events, furnished, label, now, readEvents, remove } from './furnished.ts'
import { untilReadable } from './logged.ts'
import { EventStream } from './reader.ts'

const world = await World.ofFile()

test('pages follow one another without a gap, and the last one ends where later events begin', async () => {
  const one = await furnished(world)
  for (let count = 0; count < 5; count++) await label(one, `L${count}`)
  await now(world, one)
  const names: string[] = []
  let next = ''
  for (let more = true; more; ) {
    const { body } = await events(one, `?types=label&limit=2${next && `&after=${next}`}`)
    names.push(...body.data.map(({ item }: { item: { name: string } }) => item.name))
    ;({ next, has_more: more } = body)
    if (names.length === 5) {
      await label(one, 'L5')
      await untilReadable(world.db)
    }
    if (names.length < 6) more = true
  }
  assert.deepEqual(names, ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'])
})

test('a request that waits is answered by the next event that it asks for', async () => {
  const one = await furnished(world)
  const start = await now(world, one)
  const waiting = events(one, `?after=${start}&types=label.deleted&wait=50`)
  const { id } = (await label(one)).body
  await remove(one, `/v1/labels/${id}`)
  const { data, has_more: more } = (await waiting).body
  assert.deepEqual([data.length, data[0].type, data[0].item.id, more], [1, 'label.deleted', id, false])
  const none = (await events(one, `?after=${start}&types=filter&wait=1`)).body
  assert.deepEqual(none.data, [])
  assert.ok(none.next >= start)
})

test('a key and a member get events of their own organization and mailboxes only', async () => {
  const [one, other] = [await furnished(world), await furnished(world)]
  const { organization, address } = one
  const second = await organization.mailbox('bob')
  await label(one)
  for (const to of [address, second.address, other.address])
    await world.send({ from: 'ann@there.example', to, subject: 'Notes', text: 'Hello' })
  await now(world, one)
  const named = ({ body }: Answer) =>
    body.data.map(({ type, mailbox }: Record<string, string | null>) => [type, ...(mailbox ? [mailbox] : [])].join(' '))
  const heard = async (key: string, query = '') => named(await events(one, query, key))
  const created = [address, second.address].map((of) => `mailbox.created ${of}`)
  const received = [address, second.address].map((of) => `message.received ${of}`)
  assert.deepEqual(await heard(organization.key), [...created, 'label.created', ...received])
  assert.deepEqual(await heard(organization.key, `?mailbox=${address}`), [created[0], received[0]])
  const restricted = await organization.restrictedKey({ mailbox_ids: [one.id] })
  assert.deepEqual(await heard(restricted), [created[0], 'label.created', received[0]])
  for (const [role, expected] of [
    ['member', [created[0], 'label.created', received[0]]],
    ['owner', [...created, 'label.created', received[1]]],
  ] as const) {
    const { id } = await organization.member(role === 'owner' ? second.address : address, role)
    const member = await signIn(organization, id)
    assert.deepEqual(named(await member.request('GET', '/v1/events')), expected, role)
  }
  assert.equal((await events(one, `?mailbox=${second.address}`, restricted)).status, 404)
  assert.equal((await events(one, `?mailbox=${other.address}`)).status, 404)
  assert.equal((await events(one, '', await organization.newKey('messages:read'))).status, 403)
  const unfit = await events(one, '?types=label', await organization.newKey('events:read'))
  assert.deepEqual([unfit.status, /labels:read/.test(unfit.body.error.message)], [403, true])
})

test('events name a member’s own labels to nobody else', async () => {
  const one = await furnished(world)
  const { organization, address } = one
  const member = await signIn(organization, (await organization.member(address)).id)
  const { keyword } = await addPersonalItems(member)
  const { keyword: shared } = (await label(one)).body
  const start = await now(world, one)
  await world.send({ from: 'ann@there.example', to: address, subject: 'Tea', text: 'Hello' })
  for (const body of [{ add_labels: [keyword] }, { add_labels: [shared], remove_labels: [keyword] }]) {
    const { status } = await member.request('PATCH', `/v1/messages?mailbox=${address}`, { uids: [1], ...body })
    assert.equal(status, 200)
  }
  await now(world, one)
  const query = `?after=${start}&types=message.changed`
  const labels = ({ body }: Answer) =>
    body.data.map(({ message }: { message: object }) =>
      Object.entries(message).filter(([name]) => name.endsWith('labels')),
    )
  assert.deepEqual(labels(await events(one, query)), [[['added_labels', [shared]]]])
  assert.deepEqual(labels(await member.request('GET', `/v1/events${query}`)), [
    [['added_labels', [keyword]]],
    [
      ['added_labels', [shared]],
      ['removed_labels', [keyword]],
    ],
  ])
})

for (const [what, query, field] of [
  ['an unknown type', 'types=message,letters', 'types'],
  ['a type without a name', 'types=', 'types'],
  ['a cursor of another form', 'after=12', 'after'],
  ['a cursor that is too great for a number', `after=${'f'.repeat(28)}`, 'after'],
  ['a cursor from beyond the log', `after=${cursorText({ position: 2 ** 52, id: 1 })}`, 'after'],
] as const)
  test(`${what} is refused, and named`, async () => {
    const { status, body } = await events(await furnished(world), `?${query}`)
    assert.deepEqual([status, body.error.field], [400, field])
  })

test('events are kept for 30 days; a cursor from before those is refused', async () => {
  const one = await furnished(world)
  await label(one, 'Old')
  const [first] = await readEvents(one, 2)
  await now(world, one)
  await sql`update events set at = now() - interval '29 days'`.execute(world.db)
  await forgetEvents(world.db)
  assert.equal((await events(one, `?after=${first.id}`)).status, 200)
  await sql`update events set at = now() - interval '31 days'`.execute(world.db)
  await forgetEvents(world.db, 2)
  const { rows } = await sql<{ left: number }>`select count(*)::integer as left from events`.execute(world.db)
  assert.deepEqual(rows, [{ left: 0 }])
  await label(one, 'New')
  const before = cursorText({ position: readCursor(first.id, '').position - 1, id: 1 })
  const { status, body } = await events(one, `?after=${before}`)
  assert.deepEqual([status, body.error.field, /30 days/.test(body.error.message)], [400, 'after', true])
  assert.equal((await readEvents(one, 1, '?types=label'))[0].item.name, 'New')
})

test('in a restored database events come after all earlier ones, though its transaction ids start again', async () => {
  const one = await furnished(world)
  await label(one, 'Before')
  const cursor = await now(world, one)
  // As if the log came from a cluster that was far ahead.
  await sql`update event_log set cluster = 'another', base = base - 1000000`.execute(world.db)
  await anchorLog(world.database)
  await label(one, 'After')
  assert.equal((await readEvents(one, 1, `?after=${cursor}`))[0].item.name, 'After')
  const { settled } = await boundsOf(world.db)
  await anchorLog(world.database)
  assert.ok((await boundsOf(world.db)).settled >= settled)
})

test('a reader goes on right behind the last event: a crash gives the ids of transactions that wrote nothing once more', async () => {
  const { db } = world
  const one = await furnished(world)
  const { body } = await label(one, 'Last')
  await untilReadable(db)
  const nothing = db.transaction().execute(async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx)
    throw new Error('Rolled back')
  })
  await assert.rejects(nothing, /Rolled back/)
  await db.transaction().execute((tx) => sql`select pg_current_xact_id()`.execute(tx))
  const { next: at } = (await events(one, '?types=filter')).body
  const { data, next } = (await events(one, `?types=filter&after=${at}`)).body
  const begun = await now(world, one)
  const news = await newsFrom(db, undefined)
  const { rows } = await sql<{ last: number }>`select max(position) as last from events`.execute(db)
  const places = { next: readCursor(next, '').position, begun: readCursor(begun, '').position, looked: news.settled }
  const behind = (rows[0]?.last ?? 0) + 1
  assert.deepEqual({ data, ...places }, { data: [], next: behind, begun: behind, looked: behind })
  await remove(one, `/v1/labels/${body.id}`)
  assert.equal((await readEvents(one, 1, `?after=${next}`))[0].type, 'label.deleted')
})

test('nothing is read past a transaction that is still open, and then it comes in its place', async () => {
  const one = await furnished(world)
  const { organization } = one
  const start = readCursor(await now(world, one), '')
  const created = { organizationId: organization.id, type: 'label.created' } as const
  const event = (name: string) => ({ ...created, data: { id: null, name } })
  if (world.database.embedded) return
  const [opened, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = world.db.transaction().execute(async (tx) => {
    await appendEvents(tx, [event('first')])
    opened.resolve()
    await commit.promise
  })
  await opened.promise
  await using stream = await EventStream.open(world.base, { key: organization.key, after: cursorText(start) })
  await world.db.transaction().execute((tx) => appendEvents(tx, [event('second'), event('third')]))
  assert.deepEqual((await eventsAfter(world.db, organization.id, start)).events, [])
  commit.resolve()
  await slow
  const names: string[] = []
  while (names.length < 3) names.push((await stream.next())?.event.item.name)
  assert.deepEqual(names, ['first', 'second', 'third'])
})
