import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, mock, test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { appendEvents } from '#/events/append.ts'
import { cursorText, readCursor } from '#/events/cursor.ts'
import { anchorLog, boundsOf, eventsAfter, forgetEvents } from '#/events/log.ts'
import { createKey, revokeKey } from '#/keys/keys.ts'
import { addLabel } from '#/labels/catalogue.ts'
import { organizationItself } from '#/organizations/owner.ts'
import { deleteOrganization } from '#/organizations/queries.ts'
import type { Answer } from '#test/sockets/http-client.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { addPersonalItems } from '#test/world/organization/personal-items.ts'
import { insertPersonalItems } from '#test/world/organization/stored-personal-items.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { EventStream } from './reader.ts'

let world: World
before(async () => {
  world = await World.start()
})
after(() => world[Symbol.asyncDispose]())

interface Furnished {
  readonly organization: TestOrganization
  readonly id: string
  readonly address: string
}

async function furnished(): Promise<Furnished> {
  const organization = await world.organization()
  return { organization, ...(await organization.mailbox('ada')) }
}

const events = async ({ organization }: Pick<Furnished, 'organization'>, query = '', key = organization.key) =>
  await organization.request('GET', `/v1/events${query}`, undefined, { key })

/** Reads exactly so many events. On a server another transaction may delay them. */
async function readEvents(one: Pick<Furnished, 'organization'>, count: number, query = '', key = one.organization.key) {
  // biome-ignore lint/suspicious/noExplicitAny: of answers
  const data: any[] = []
  let next = /after=(\w+)/.exec(query)?.[1]
  const others = query.replace(/^\?|&?after=\w+/g, '')
  do {
    const path = `?${others}&wait=${data.length < count ? 50 : 0}${next ? `&after=${next}` : ''}`.replace('?&', '?')
    const { body } = await events(one, path, key)
    data.push(...body.data)
    next = body.next
  } while (data.length < count)
  assert.equal(data.length, count)
  return data
}

/** The end of the log, after all that has been committed. */
async function now(one: Pick<Furnished, 'organization'>): Promise<string> {
  const { rows } = await sql<{ position: number }>`select coalesce(max(position), 0) as position from events`.execute(
    world.db,
  )
  for (;;) {
    const { next } = (await events(one, '?after=now')).body
    if (readCursor(next, '').position > (rows[0]?.position ?? 0)) return next
  }
}

const label = ({ organization }: Pick<Furnished, 'organization'>, name: string = randomUUID().slice(0, 8)) =>
  organization.request('POST', '/v1/labels', { name })

test('mail that arrives, is changed, moved and deleted has events in that order, with place and actor', async () => {
  const one = await furnished()
  const { organization, address } = one
  const { keyword } = (await label(one, 'Receipts')).body
  const start = await now(one)
  await world.send({ from: 'Ann <ann@there.example>', to: address, subject: 'Notes', text: 'Hello' })
  const change = async (body: object) =>
    assert.equal(
      (await organization.request('PATCH', `/v1/messages?mailbox=${address}`, { uids: [1], ...body })).status,
      200,
    )
  await change({ starred: true, unread: true, add_labels: [keyword] })
  await change({ starred: true })
  await change({ folder: 'archive', unread: false, remove_labels: [keyword] })
  const data = await readEvents(one, 3, `?after=${start}`)
  assert.deepEqual(
    data.map(({ id, at, by, ...event }) => ({ ...event, by: by.kind })),
    [
      {
        type: 'message.received',
        mailbox: address,
        by: 'service',
        message: { folder: 'inbox', uid: 1, subject: null, from: null },
      },
      {
        type: 'message.changed',
        mailbox: address,
        by: 'key',
        message: { folder: 'inbox', uid: 1, starred: true, added_labels: [keyword], subject: null, from: null },
      },
      {
        type: 'message.changed',
        mailbox: address,
        by: 'key',
        message: {
          ...{ folder: 'archive', uid: 1, moved_from: { folder: 'inbox', uid: 1 }, unread: false },
          ...{ removed_labels: [keyword], subject: 'Notes', from: { name: 'Ann', address: 'ann@there.example' } },
        },
      },
    ],
  )
  const { id: mailboxId } = one
  const mailbox = { organizationId: organization.id, mailboxId }
  assert.deepEqual(await world.mailHost.expunge(mailbox, 'archive', [1, 2]), [1])
  const deleted = await readEvents(one, 1, `?after=${data.at(-1).id}`)
  assert.deepEqual(deleted[0].message, { folder: 'archive', uid: 1, subject: null, from: null })
  assert.deepEqual(
    [deleted.length, deleted[0].type, deleted[0].by],
    [1, 'message.deleted', { kind: 'service', id: null, name: '' }],
  )
})

/** Actions, with the type and item name of the resulting event. */
const settings: readonly (readonly [type: string, name: string, act: (one: Furnished) => Promise<unknown>])[] = [
  ['label.created', 'Work', (one) => label(one, 'Work')],
  [
    'label.changed',
    'Home',
    async (one) => patch(one, `/v1/labels/${(await label(one, 'Work')).body.id}`, { name: 'Home' }),
  ],
  ['label.deleted', 'Work', async (one) => remove(one, `/v1/labels/${(await label(one, 'Work')).body.id}`)],
  ['filter.created', 'f', (one) => filter(one)],
  ['filter.changed', 'f', async (one) => patch(one, `/v1/filters/${(await filter(one)).body.id}`, { enabled: false })],
  ['filter.deleted', 'f', async (one) => remove(one, `/v1/filters/${(await filter(one)).body.id}`)],
  ['block.created', '@spam.example', (one) => block(one)],
  ['block.deleted', '@spam.example', async (one) => remove(one, `/v1/blocked-senders/${(await block(one)).body.id}`)],
]

const patch = ({ organization }: Furnished, path: string, body: object) => organization.request('PATCH', path, body)
const remove = ({ organization }: Furnished, path: string) => organization.request('DELETE', path)
const filter = ({ organization }: Furnished) =>
  organization.request('POST', '/v1/filters', {
    name: 'f',
    field: 'from',
    op: 'is',
    value: 'a@b.example',
    action: 'star',
  })
const block = ({ organization }: Furnished) =>
  organization.request('POST', '/v1/blocked-senders', { pattern: '@spam.example' })

for (const [type, name, act] of settings)
  test(`${type} has one event, with its actor`, async () => {
    const one = await furnished()
    await act(one)
    const [event] = await readEvents(one, 1, `?types=${type}`)
    assert.deepEqual([event.item.name, event.by.kind, event.mailbox], [name, 'key', null])
  })

test('a mailbox has events when it is created, changed and deleted; its deleted mail has none', async () => {
  const one = await furnished()
  await world.send({ from: 'ann@there.example', to: one.address, subject: 'Notes', text: 'Hello' })
  await printed(operatorOn(world), 'mailbox', 'delete', one.address)
  const data = await readEvents(one, 4)
  assert.deepEqual(
    data.map(({ type, mailbox, by }: { type: string; mailbox: string; by: { kind: string } }) => [
      type,
      mailbox,
      by.kind,
    ]),
    [
      ['mailbox.created', null, 'operator'],
      ['message.received', null, 'service'],
      ['mailbox.changed', null, 'operator'],
      ['mailbox.deleted', null, 'operator'],
    ],
  )
  assert.deepEqual(data.at(-1).item, { id: one.id, name: one.address })
})

test('each change of a mailbox is one event mailbox.changed', async () => {
  const { organization, address } = await furnished()
  const start = await now({ organization })
  const member = `eve@${organization.domain}`
  await organization.member(member)
  const commands = [
    ['suspend', address],
    ['resume', address],
    ['password', address],
    ['alias', 'add', address, `info@${organization.domain}`],
    ['alias', 'remove', `info@${organization.domain}`],
    ['share', address, '--member', member],
    ['unshare', address, '--member', member],
  ]
  for (const command of commands) await printed(operatorOn(world), 'mailbox', ...command)
  const data = await readEvents({ organization }, commands.length, `?after=${start}&types=mailbox`)
  const shown = data.map(({ type, mailbox, by }) => [type, mailbox, by.kind])
  assert.deepEqual(
    shown,
    commands.map(() => ['mailbox.changed', address, 'operator']),
  )
})

test('what is rolled back, or is a member’s own, has no event', async () => {
  const one = await furnished()
  const start = await now(one)
  await insertPersonalItems(world, one.organization)
  const owner = organizationItself(one.organization.id)
  const failing = world.db.transaction().execute(async (tx) => {
    await addLabel(tx, owner, { name: 'Work', colour: 'red' }, byOperator)
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  await label(one, 'Seen')
  const data = await readEvents(one, 1, `?after=${start}`)
  assert.deepEqual(
    data.map(({ item }: { item: { name: string } }) => item.name),
    ['Seen'],
  )
})

test('pages follow one another without a gap, and the last one ends where later events begin', async () => {
  const one = await furnished()
  for (let count = 0; count < 5; count++) await label(one, `L${count}`)
  await now(one)
  const names: string[] = []
  let next = ''
  for (let more = true; more; ) {
    const { body } = await events(one, `?types=label&limit=2${next && `&after=${next}`}`)
    names.push(...body.data.map(({ item }: { item: { name: string } }) => item.name))
    ;({ next, has_more: more } = body)
    if (names.length === 5) await label(one, 'L5')
    if (names.length < 6) more = true
  }
  assert.deepEqual(names, ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'])
})

test('a request that waits is answered by the next event that it asks for', async () => {
  const one = await furnished()
  const start = await now(one)
  const waiting = events(one, `?after=${start}&types=label.deleted&wait=50`)
  const { id } = (await label(one)).body
  await remove(one, `/v1/labels/${id}`)
  const { data, has_more: more } = (await waiting).body
  assert.deepEqual([data.length, data[0].type, data[0].item.id, more], [1, 'label.deleted', id, false])
  const none = (await events(one, `?after=${start}&types=filter&wait=1`)).body
  assert.deepEqual(none.data, [])
  assert.ok(none.next >= start)
})

test('a stream has past and new events, and continues where it broke, with nothing twice', async () => {
  const one = await furnished()
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

test('a stream without an event for 15 s sends a comment with an id to continue from', async () => {
  const one = await furnished()
  const { key } = one.organization
  const start = await now(one)
  const since = performance.now()
  let passed = 0
  const clock = mock.method(performance, 'now', () => since + passed)
  try {
    await using stream = await EventStream.open(world.base, { key, query: '?types=filter', after: start })
    assert.equal(await stream.frame(), 'retry: 1000')
    // Events that it does not ask for wake it.
    const wake = async () => {
      await label(one)
      await now(one)
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
  const one = await furnished()
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
  const ended = stream.next().then(async (next) => {
    let last = next
    while (last) last = await stream.next()
  })
  // A revoked key works for some seconds more.
  let over = false
  void ended.then(() => {
    over = true
  })
  while (!over) await label(one)
})

test('streams and waiting requests end when the service stops', async () => {
  const stopping = await World.start()
  const organization = await stopping.organization()
  const one = { organization }
  const start = (await events(one, '?after=now')).body.next
  await using stream = await EventStream.open(stopping.base, { key: organization.key, query: '?after=now' })
  const waiting = organization.request('GET', `/v1/events?after=${start}&wait=50`)
  await once(process, 'nothing', { signal: AbortSignal.timeout(200) }).catch(() => {})
  const stopped = stopping[Symbol.asyncDispose]()
  assert.deepEqual((await waiting).body.data, [])
  assert.equal(await stream.next(), undefined)
  await stopped
})

test('each type needs the scope of its data, and a key gets events of its own organization and mailboxes only', async () => {
  const [one, other] = [await furnished(), await furnished()]
  const { organization, address } = one
  const second = await organization.mailbox('bob')
  await label(one)
  for (const to of [address, second.address, other.address])
    await world.send({ from: 'ann@there.example', to, subject: 'Notes', text: 'Hello' })
  await now(one)
  const named = ({ body }: Answer) =>
    body.data.map(
      ({ type, mailbox }: { type: string; mailbox: string | null }) =>
        `${type}${mailbox === null ? '' : ` ${mailbox}`}`,
    )
  const heard = async (key: string, query = '') => named(await events(one, query, key))
  const created = [address, second.address].map((of) => `mailbox.created ${of}`)
  const received = [address, second.address].map((of) => `message.received ${of}`)
  assert.deepEqual(await heard(organization.key), [...created, 'label.created', ...received])
  assert.deepEqual(await heard(organization.key, `?mailbox=${address}`), [created[0], received[0]])
  for (const [scope, expected] of [
    ['messages:read', received],
    ['mailboxes:read', created],
    ['labels:read', ['label.created']],
    ['filters:read', []],
    ['messages:write', []],
  ] as const)
    assert.deepEqual(await heard(await organization.newKey('events:read', scope)), expected, scope)
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
  const one = await furnished()
  const { organization, address } = one
  const member = await signIn(organization, (await organization.member(address)).id)
  const { keyword } = await addPersonalItems(member)
  const { keyword: shared } = (await label(one)).body
  const start = await now(one)
  await world.send({ from: 'ann@there.example', to: address, subject: 'Tea', text: 'Hello' })
  for (const body of [{ add_labels: [keyword] }, { add_labels: [shared], remove_labels: [keyword] }]) {
    const { status } = await member.request('PATCH', `/v1/messages?mailbox=${address}`, { uids: [1], ...body })
    assert.equal(status, 200)
  }
  await now(one)
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
  ['too long a wait', 'wait=51', 'wait'],
  ['too large a page', 'limit=501', 'limit'],
] as const)
  test(`${what} is refused, and named`, async () => {
    const { status, body } = await events(await furnished(), `?${query}`)
    assert.deepEqual([status, body.error.field], [400, field])
  })

test('events are kept for 30 days; a cursor from before those is refused', async () => {
  const one = await furnished()
  await label(one, 'Old')
  const [first] = await readEvents(one, 2)
  await now(one)
  await sql`update events set at = now() - interval '29 days'`.execute(world.db)
  await forgetEvents(world.db)
  assert.equal((await events(one, `?after=${first.id}`)).status, 200)
  await sql`update events set at = now() - interval '31 days'`.execute(world.db)
  await forgetEvents(world.db, 2)
  const { rows } = await sql<{ left: number }>`select count(*)::integer as left from events`.execute(world.db)
  assert.deepEqual(rows, [{ left: 0 }])
  await label(one, 'New')
  const { status, body } = await events(
    one,
    `?after=${cursorText({ position: readCursor(first.id, '').position - 1, id: 1 })}`,
  )
  assert.deepEqual([status, body.error.field, /30 days/.test(body.error.message)], [400, 'after', true])
  assert.equal((await readEvents(one, 1, '?types=label'))[0].item.name, 'New')
})

test('an organization’s events go with it', async () => {
  const [gone, stays] = [await furnished(), await furnished()]
  await world.db.transaction().execute((tx) => deleteOrganization(tx, gone.organization.id))
  const left = async ({ organization: { id } }: Furnished) =>
    (await world.db.selectFrom('events').select('id').where('organization_id', '=', id).execute()).length
  // One for the mailbox, and two that tell pages alone: of the organization and of its key.
  assert.deepEqual([await left(gone), await left(stays)], [0, 3])
})

test('in a restored database events come after all earlier ones, though its transaction ids start again', async () => {
  const one = await furnished()
  await label(one, 'Before')
  const cursor = await now(one)
  // As if the log came from a cluster that was far ahead.
  await sql`update event_log set cluster = 'another', base = base - 1000000`.execute(world.db)
  await anchorLog(world.database)
  await label(one, 'After')
  assert.equal((await readEvents(one, 1, `?after=${cursor}`))[0].item.name, 'After')
  const { settled } = await boundsOf(world.db)
  await anchorLog(world.database)
  assert.ok((await boundsOf(world.db)).settled >= settled)
})

test('nothing is read past a transaction that is still open, and then it comes in its place', async () => {
  const one = await furnished()
  const { organization } = one
  const start = readCursor(await now(one), '')
  const event = (name: string) => ({
    ...{ organizationId: organization.id, type: 'label.created' as const },
    data: { id: null, name },
  })
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
