import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { byOperator } from '#/audit/actor.ts'
import { appendEvents } from '#/events/append.ts'
import { Caller } from '#/http/access/caller.ts'
import { revokeKey } from '#/keys/keys.ts'
import { webhookById } from '#/webhooks/queries.ts'
import { present } from '#/webhooks/schemas.ts'
import { logged } from '#test/events/logged.ts'
import { messagesIn, newestIn } from '#test/mail/letter.ts'
import type { Answer } from '#test/sockets/http-client.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { isGenuine, Receiver } from './receiver.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

let world: World
before(async () => {
  world = await World.start({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })
})
after(() => world[Symbol.asyncDispose]())

/** A receiver, and a webhook that posts to it. */
class Hook implements AsyncDisposable {
  readonly organization: TestOrganization
  readonly receiver: Receiver
  readonly id: string
  readonly secret: string

  private constructor(organization: TestOrganization, receiver: Receiver, made: { id: string; secret: string }) {
    this.organization = organization
    this.receiver = receiver
    this.id = made.id
    this.secret = made.secret
  }

  static async start(settings: object = { types: ['label'] }, organization?: TestOrganization): Promise<Hook> {
    const receiver = await Receiver.start()
    const whose = organization ?? (await world.organization())
    const made = await whose.request('POST', '/v1/webhooks', { url: receiver.url, ...settings })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return new Hook(whose, receiver, made.body)
  }

  at(method: string, path = '', body?: unknown): Promise<Answer> {
    return this.organization.request(method, `/v1/webhooks/${this.id}${path}`, body)
  }

  async shown() {
    return (await this.at('GET')).body
  }

  async deliveries(query = '') {
    return (await this.at('GET', `/deliveries${query}`)).body.data
  }

  /** Creates labels, whose events the webhook gets. */
  async labels(...names: string[]): Promise<void> {
    for (const name of names)
      assert.equal((await this.organization.request('POST', '/v1/labels', { name })).status, 201)
  }

  /** Writes events of items, one for each name: those of an item have an order. A round reads all of them, or none. */
  async tellOf(items: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const { id: organizationId } = this.organization
    const events = Object.entries(items).flatMap(([id, names]) =>
      names.map((name) => ({ organizationId, type: 'label.changed', data: { id, name } }) as const),
    )
    await world.db.transaction().execute((tx) => appendEvents(tx, events))
  }

  /** Advances the clock until something holds. */
  async pass(ms: number, enough: (receiver: Receiver) => boolean): Promise<void> {
    // The worker's own time goes on while it works, which takes long on a busy machine.
    await world.advance(ms + 20 * second)
    await this.receiver.until(enough)
  }

  /** Resolves once the webhook shows something. */
  async untilShown(holds: (shown: { status: string; waiting: number }) => boolean): Promise<void> {
    await eventually(async () => holds(await this.stored()))
  }

  /** As it is shown, without a request, of which there is a limit. */
  async stored() {
    const viewer = { caller: Caller.unrestricted(this.organization.id), actorId: this.id }
    const webhook = await webhookById(world.db, viewer, this.id)
    assert.ok(webhook)
    return present(webhook)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.organization.request('DELETE', `/v1/webhooks/${this.id}`)
    await this.receiver[Symbol.asyncDispose]()
  }
}

const names = ({ taken }: Receiver) => taken.map(({ name }) => name)

/** Resolves once something holds. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(100)
}

/** Answers with that status as long as something holds. */
const whileIt = (fails: (name: string) => boolean, status: number, text = '') => {
  return ({ name }: { name: string }, response: import('node:http').ServerResponse) =>
    void response.writeHead(fails(name) ? status : 204).end(fails(name) ? text : '')
}

test('an event is posted as the log has it, signed as the library of Standard Webhooks verifies it', async () => {
  await using hook = await Hook.start()
  await hook.labels('Invoices')
  await hook.receiver.until(({ taken }) => taken.length === 1)
  const [received] = hook.receiver.taken
  assert.ok(received)
  const { body } = await hook.organization.request('GET', '/v1/events?types=label')
  assert.deepEqual(received.content, { type: 'label.created', timestamp: body.data[0].at, data: body.data[0] })
  assert.equal(received.id, body.data[0].id)
  assert.match(String(received.headers['user-agent']), /^Mailroom\//)
  assert.ok(isGenuine(received, hook.secret))
  assert.ok(!isGenuine({ ...received, body: received.body.replace('Invoices', 'Invoicez') }, hook.secret))
  assert.ok(!isGenuine(received, `whsec_${Buffer.alloc(32).toString('base64')}`))
})

test('only what it asks for is posted, in order, and nothing from before', async () => {
  const organization = await world.organization()
  await organization.request('POST', '/v1/labels', { name: 'Before' })
  // While an older transaction is open anywhere on the server, it cannot be read yet, and a webhook begins with it.
  await eventually(async () => (await organization.request('GET', '/v1/events?types=label')).body.data.length === 1)
  await using hook = await Hook.start({ types: ['label.created', 'block'] }, organization)
  await hook.labels('A')
  await organization.request('POST', '/v1/filters', { name: 'F', field: 'from', op: 'is', value: 'x', action: 'star' })
  await organization.request('POST', '/v1/blocked-senders', { pattern: 'bad@there.example' })
  await hook.labels('B')
  await hook.receiver.until(({ taken }) => taken.length === 3)
  assert.deepEqual(names(hook.receiver).toSorted(), ['A', 'B', 'bad@there.example'])
})

test('with a mailbox, only what is about it', async () => {
  const organization = await world.organization()
  const [ada, bob] = [await organization.mailbox('ada'), await organization.mailbox('bob')]
  await using hook = await Hook.start({ mailbox: ada.address }, organization)
  for (const { address: to } of [bob, ada])
    await world.send({ from: 'ann@there.example', to, subject: 'Hello', text: 'Hello' })
  await hook.receiver.until(({ taken }) => taken.length === 1)
  const [{ content } = { content: undefined }] = hook.receiver.taken
  assert.deepEqual(
    [content.type, content.data.mailbox, content.data.message.folder],
    ['message.received', ada.address, 'inbox'],
  )
})

test('a failed delivery is retried, and later events of its sequence wait; all others continue', async () => {
  await using hook = await Hook.start()
  hook.receiver.answers = whileIt((name) => name === 'a1', 500, 'no\0t yet')
  await hook.tellOf({ a: ['a1', 'a2'], b: ['b1', 'b2'] })
  await hook.receiver.until((receiver) => names(receiver).includes('b2'))
  await hook.untilShown(({ waiting }) => waiting === 2)
  assert.deepEqual(names(hook.receiver), ['b1', 'b2'])
  const [a2, a1] = await hook.deliveries('?state=waiting')
  assert.deepEqual([a1.attempts, a1.status, a1.answer, a1.error], [1, 500, 'not yet', 'It answered 500'])
  assert.deepEqual([a2.attempts, a2.status, a2.next_at], [0, null, a1.next_at])
  const tried = () => hook.receiver.all.filter(({ name }) => name === 'a1').length
  await hook.pass(5 * second, () => tried() === 2)
  await hook.untilShown(({ waiting }) => waiting === 2)
  hook.receiver.answers = undefined
  await hook.pass(30 * second, (receiver) => names(receiver).includes('a2'))
  assert.deepEqual(names(hook.receiver), ['b1', 'b2', 'a1', 'a2'])
  const ids = hook.receiver.all.filter(({ name }) => name === 'a1').map(({ id }) => id)
  assert.equal(new Set(ids).size, 1)
  await hook.untilShown(({ waiting, status }) => waiting === 0 && status === 'active')
})

test('a message waits for those of its conversation, and not for those of others', async () => {
  const organization = await world.organization()
  const { address } = await organization.mailbox('ada')
  await using hook = await Hook.start({ types: ['message'] }, organization)
  const mail = (id: string, inReplyTo?: string) =>
    world.send({
      ...{ from: 'ann@there.example', to: address, subject: id, text: id, messageId: `<${id}@there.example>` },
      ...(inReplyTo && { inReplyTo: `<${inReplyTo}@there.example>`, references: `<${inReplyTo}@there.example>` }),
    })
  const subjectOf = ({ content }: (typeof hook.receiver.all)[0]) => content.data.message.subject
  let fails = true
  hook.receiver.answers = (received, response) =>
    void response.writeHead(fails && subjectOf(received) === 'one' ? 503 : 204).end()
  // In one round: after one in which nothing was taken, the next is seconds away.
  await hook.at('PATCH', '', { paused: true })
  await mail('one')
  await mail('answer', 'one')
  await mail('two')
  await hook.at('PATCH', '', { paused: false })
  await hook.receiver.until(({ taken }) => taken.length === 1)
  await hook.untilShown(({ waiting }) => waiting === 2)
  fails = false
  await hook.pass(5 * second, ({ taken }) => taken.length === 3)
  assert.deepEqual(hook.receiver.taken.map(subjectOf), ['two', 'one', 'answer'])
})

test('while a receiver is away the log is not copied, and all comes once it is back', async () => {
  await using hook = await Hook.start()
  hook.receiver.answers = whileIt(() => true, 502)
  const { id: organizationId } = hook.organization
  const appended = Array.from({ length: 3_000 }, (_, number) => `n${number}`)
  await world.db.transaction().execute((tx) =>
    appendEvents(
      tx,
      appended.map((name) => ({ organizationId, type: 'label.changed', data: { id: name, name } }) as const),
    ),
  )
  await hook.untilShown(({ status }) => status === 'failing')
  for (let passes = 0; passes < 3; passes++) {
    const before = hook.receiver.all.length
    await hook.pass(10 * minute, ({ all }) => all.length > before)
  }
  assert.ok(hook.receiver.all.length < 30, `${hook.receiver.all.length} requests`)
  const { waiting } = await hook.shown()
  assert.ok(waiting < 100, `${waiting} wait`)
  hook.receiver.answers = undefined
  await hook.pass(10 * minute, ({ taken }) => new Set(taken.map(({ id }) => id)).size === appended.length)
  await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
  assert.equal((await hook.deliveries('?limit=100')).length, 100)
})

test('a receiver that fails in the middle of a round gets nothing more, and undelivered events are not copied', async () => {
  await using hook = await Hook.start()
  hook.receiver.answers = (_, response) => void response.writeHead(hook.receiver.all.length > 300 ? 500 : 204).end()
  const { id: organizationId } = hook.organization
  const appended = Array.from({ length: 1_500 }, (_, number) => `n${number}`)
  await world.db.transaction().execute((tx) =>
    appendEvents(
      tx,
      appended.map((name) => ({ organizationId, type: 'label.changed', data: { id: name, name } }) as const),
    ),
  )
  await hook.untilShown(({ status }) => status === 'failing')
  const { waiting } = await hook.shown()
  assert.ok(waiting < 100, `${waiting} wait`)
  assert.ok(hook.receiver.all.length < 400, `${hook.receiver.all.length} requests`)
  hook.receiver.answers = undefined
  await hook.pass(minute, ({ taken }) => new Set(taken.map(({ id }) => id)).size === appended.length)
  await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
})

test('a webhook that fails for three days is paused, with an event, and continues where it was once resumed', async () => {
  await using hook = await Hook.start()
  hook.receiver.answers = whileIt(() => true, 500)
  await hook.labels('First')
  await hook.untilShown(({ status }) => status === 'failing')
  await world.advance(73 * hour)
  await hook.untilShown(({ status }) => status === 'paused')
  await hook.labels('Second')
  const { paused_because, failing_since } = await hook.shown()
  assert.deepEqual([paused_because, failing_since === null], ['It answered 500', false])
  const appended = await logged(hook.organization, 'webhook', 1)
  assert.deepEqual(
    appended.map(({ type, by, item }: { type: string; by: { kind: string }; item: object }) => [type, by.kind, item]),
    [['webhook.paused', 'service', { id: hook.id, name: `127.0.0.1:${hook.receiver.port}` }]],
  )
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
  await using hook = await Hook.start()
  hook.receiver.answers = async ({ name }, response) => {
    await (name === 'a1' ? hook.at('PATCH', '', { paused: true }) : hook.at('DELETE'))
    response.writeHead(204).end()
  }
  await hook.tellOf({ a: ['a1'] })
  await hook.receiver.until(({ taken }) => taken.length === 1)
  await hook.untilShown(({ status }) => status === 'paused')
  await hook.tellOf({ a: ['a2'] })
  await using other = await Hook.start(undefined, hook.organization)
  await hook.tellOf({ a: ['a3'] })
  await other.receiver.until((receiver) => names(receiver).includes('a3'))
  assert.deepEqual([names(hook.receiver), (await hook.stored()).status], [['a1'], 'paused'])
  await hook.at('PATCH', '', { paused: false })
  // The round continues with claimed deliveries.
  await hook.receiver.until(({ taken }) => taken.length === 3)
  assert.equal((await hook.at('GET')).status, 404)
})

test('a webhook that gets another URL tries what has failed at once, and stays paused where it was', async () => {
  await using hook = await Hook.start()
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

test('a webhook that is resumed during a round starts again, whatever the result of that round', async () => {
  await using hook = await Hook.start()
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

test('a receiver that answers 410 is paused at once', async () => {
  await using hook = await Hook.start()
  hook.receiver.answers = whileIt(() => true, 410)
  await hook.labels('A')
  await hook.untilShown(({ status }) => status === 'paused')
  assert.match((await hook.shown()).paused_because, /410/)
})

test('the owners get a message when a webhook is paused, with its reason, and no secret of its URL', async () => {
  const organization = await world.organization()
  const boxes: Record<string, string> = {}
  for (const [localPart, role] of [
    ['ada', 'owner'],
    ['bob', 'owner'],
    ['cy', 'admin'],
  ] as const) {
    const { address } = await organization.mailbox(localPart)
    await organization.member(address, role)
    boxes[localPart] = address
  }
  await using hook = await Hook.start({ name: 'Orders “über”', types: ['label'] }, organization)
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

test('a receiver that never answers, or answers without an end, delays nobody', async () => {
  await using silent = await Hook.start()
  silent.receiver.answers = () => new Promise(() => {})
  await using endless = await Hook.start(undefined, silent.organization)
  endless.receiver.answers = (_, response) => {
    const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
    response.once('close', () => response.end())
    more()
  }
  await using quick = await Hook.start(undefined, silent.organization)
  for (const name of ['A', 'B', 'C']) {
    await silent.labels(name)
    await quick.receiver.until(({ taken }) => taken.at(-1)?.name === name)
  }
  await endless.receiver.until(({ all }) => all.length === 3)
  await endless.untilShown(({ waiting }) => waiting === 0)
  const [delivery] = await endless.deliveries()
  assert.deepEqual([delivery.state, delivery.answer], ['delivered', 'x'.repeat(1_024)])
})

test('a secret that was rotated signs for another day', async () => {
  await using hook = await Hook.start()
  const rotated = (await hook.at('POST', '/rotate')).body
  assert.notEqual(rotated.secret, hook.secret)
  await hook.labels('Both')
  await hook.receiver.until(({ taken }) => taken.length === 1)
  for (const secret of [hook.secret, rotated.secret])
    assert.ok(hook.receiver.taken[0] && isGenuine(hook.receiver.taken[0], secret))
  // Else the lease ends as the clock goes on, and what was taken is delivered again.
  await hook.untilShown(({ waiting }) => waiting === 0)
  await world.advance(25 * hour)
  await hook.labels('New')
  await hook.receiver.until(({ taken }) => taken.length === 2)
  const signatures = hook.receiver.taken.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)
  assert.deepEqual(signatures, [2, 1])
})

test('a webhook gets what the key that made it may read, as long as that is valid', async () => {
  const organization = await world.organization()
  const narrow = await organization.newKey('webhooks:write', 'webhooks:read', 'events:read', 'labels:read')
  await using receiver = await Receiver.start()
  const made = await organization.request('POST', '/v1/webhooks', { url: receiver.url }, { key: narrow })
  const { id, reads_as } = made.body
  await organization.request('POST', '/v1/blocked-senders', { pattern: 'bad@there.example' })
  await organization.request('POST', '/v1/labels', { name: 'A' })
  await receiver.until(({ taken }) => taken.length === 1)
  assert.deepEqual(names(receiver), ['A'])
  await revokeKey(world.db, reads_as.id, world.clock.now(), byOperator)
  await organization.request('POST', '/v1/labels', { name: 'B' })
  const shown = async () => (await organization.request('GET', `/v1/webhooks/${id}`)).body
  await eventually(async () => (await shown()).status === 'paused')
  assert.match((await shown()).paused_because, /^Its key or member may no longer/)
  // Another key takes it over, with its own rights.
  const resumed = await organization.request('PATCH', `/v1/webhooks/${id}`, { paused: false })
  assert.notEqual(resumed.body.reads_as.id, reads_as.id)
  await receiver.until(({ taken }) => taken.length === 2)
  assert.deepEqual(names(receiver), ['A', 'B'])
})

test('a span of events is delivered again, with the ids that they had', async () => {
  await using hook = await Hook.start()
  await hook.labels('A', 'B', 'C', 'D')
  await hook.receiver.until(({ taken }) => taken.length === 4)
  const ids = hook.receiver.taken.map(({ id }) => id).toSorted()
  await hook.untilShown(({ waiting }) => waiting === 0)
  const { body } = await hook.at('POST', '/replay', { after: ids[0], until: ids[2] })
  assert.deepEqual(body, { replayed: 2, next: null })
  await hook.receiver.until(({ taken }) => taken.length === 6)
  assert.deepEqual(
    hook.receiver.taken
      .slice(4)
      .map(({ id }) => id)
      .toSorted(),
    ids.slice(1, 3),
  )
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

test('what a replay puts in line before it came for the first time is delivered once', async () => {
  await using hook = await Hook.start()
  await hook.at('PATCH', '', { paused: true })
  // More than one round takes, and than are kept of what was delivered.
  const appended = Array.from({ length: 140 }, (_, number) => `a${number}`)
  await hook.tellOf({ a: appended })
  await hook.labels('B')
  // An event is read once all transactions that began before its own have ended, those of others too.
  const replayed = async () => (await hook.at('POST', '/replay', { after: '0'.repeat(28) })).body.replayed
  while ((await replayed()) < 141) await pause(10)
  await hook.at('PATCH', '', { paused: false })
  await hook.untilShown(({ waiting }) => waiting === 0)
  await hook.labels('C')
  await hook.receiver.until((receiver) => names(receiver).includes('C'))
  assert.deepEqual(names(hook.receiver).toSorted(), [...appended, 'B', 'C'].toSorted())
})

test('a receiver that fails is tried with what the webhook is for, past all that it is not', async () => {
  await using hook = await Hook.start({ types: ['label.created'] })
  hook.receiver.answers = whileIt(() => true, 500)
  await hook.labels('A')
  await hook.untilShown(({ status }) => status === 'failing')
  await hook.tellOf({ other: Array.from({ length: 90 }, (_, number) => `n${number}`) })
  await hook.labels('B')
  const tried = (name: string) => hook.receiver.all.some((received) => received.name === name)
  await hook.pass(5 * second, () => tried('B'))
})

test('a test event is posted at once, and says what came of it', async () => {
  await using hook = await Hook.start()
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
  await using hook = await Hook.start()
  await hook.labels('A', 'B', 'C')
  await hook.receiver.until(({ taken }) => taken.length === 3)
  const of = async (query: string) => (await hook.at('GET', `/deliveries${query}`)).body
  await eventually(async () => (await of('')).data.length === 3)
  const first = await of('?limit=2&cursor=')
  const second = await of(`?limit=2&cursor=${first.next_cursor}`)
  const events = [...first.data, ...second.data].map(({ event }: { event: string }) => event)
  assert.deepEqual(
    [events, second.next_cursor],
    [
      hook.receiver.taken
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
      null,
    ],
  )
  assert.deepEqual((await of('?state=failed')).data, [])
})

test('a webhook gets nothing of another organization, which does not see it', async () => {
  await using hook = await Hook.start()
  const other = await world.organization()
  await other.request('POST', '/v1/labels', { name: 'Theirs' })
  await hook.labels('Ours')
  await hook.receiver.until(({ taken }) => taken.length === 1)
  assert.deepEqual(names(hook.receiver), ['Ours'])
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { paused: true }],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['POST', '/replay', { event: hook.receiver.taken[0]?.id }],
    ['GET', '/deliveries'],
  ] as const) {
    const { status } = await other.request(method, `/v1/webhooks/${hook.id}${path}`, body)
    assert.equal(status, 404, `${method} ${path}`)
  }
  assert.deepEqual((await other.request('GET', '/v1/webhooks')).body, { data: [] })
})

test('a webhook whose organization is suspended waits', async () => {
  await using hook = await Hook.start()
  await sql`update organizations set suspended_at = now() where id = ${hook.organization.id}`.execute(world.db)
  await hook.tellOf({ a: ['a1'] })
  await using other = await Hook.start()
  await other.labels('A')
  await other.receiver.until(({ taken }) => taken.length === 1)
  assert.equal(hook.receiver.all.length, 0)
  await sql`update organizations set suspended_at = null where id = ${hook.organization.id}`.execute(world.db)
  await hook.receiver.until(({ taken }) => taken.length === 1)
})
