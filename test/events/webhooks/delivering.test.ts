import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { untilReadable } from '#test/events/logged.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { World } from '#test/world/world.ts'
import { Hook, names, whileIt } from './hook.ts'
import { isGenuine } from './receiver.ts'

const [second, minute] = [1_000, 60_000]

const world = await World.ofFile({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

test('an event is posted as the log has it, signed as the library of Standard Webhooks verifies it', async () => {
  await using hook = await Hook.start(world)
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
  await untilReadable(world.db)
  await using hook = await Hook.start(world, { types: ['label.created', 'block'] }, organization)
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
  await untilReadable(world.db)
  await using hook = await Hook.start(world, { mailbox: ada.address }, organization)
  for (const { address: to } of [bob, ada])
    await world.send({ from: 'ann@there.example', to, subject: 'Hello', text: 'Hello' })
  await hook.receiver.until(({ taken }) => taken.length === 1)
  const [{ content } = { content: undefined }] = hook.receiver.taken
  assert.equal(content.type, 'message.received')
  const { data } = await organization.bodyOf(200, 'GET', `/v1/messages?mailbox=${ada.address}`)
  const [{ id, conversation_id }] = data
  assert.partialDeepStrictEqual(content.data, {
    mailbox: ada.address,
    message: { id, folder: 'inbox', conversation_id },
  })
})

test('a failed delivery is retried, and later events of its sequence wait; all others continue', async () => {
  await using hook = await Hook.start(world)
  hook.receiver.answers = whileIt((name) => name === 'a1', 500, 'no\0t yet')
  await hook.append({ a: ['a1', 'a2'], b: ['b1', 'b2'] })
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
  const { organization, address } = await world.mailbox('ada')
  await using hook = await Hook.start(world, { types: ['message'] }, organization)
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
  await untilReadable(world.db)
  await hook.at('PATCH', '', { paused: false })
  await hook.receiver.until(({ taken }) => taken.length === 1)
  await hook.untilShown(({ waiting }) => waiting === 2)
  fails = false
  await hook.pass(5 * second, ({ taken }) => taken.length === 3)
  assert.deepEqual(hook.receiver.taken.map(subjectOf), ['two', 'one', 'answer'])
})

test('while a receiver is away the log is not copied, and all comes once it is back', async () => {
  await using hook = await Hook.start(world)
  hook.receiver.answers = whileIt(() => true, 502)
  await hook.appendMany(3_000)
  await hook.untilShown(({ status }) => status === 'failing')
  for (let passes = 0; passes < 3; passes++) {
    const before = hook.receiver.all.length
    await hook.pass(10 * minute, ({ all }) => all.length > before)
  }
  assert.ok(hook.receiver.all.length < 30, `${hook.receiver.all.length} requests`)
  const { waiting } = await hook.shown()
  assert.ok(waiting < 100, `${waiting} wait`)
  hook.receiver.answers = undefined
  await hook.pass(10 * minute, ({ taken }) => new Set(taken.map(({ id }) => id)).size === 3_000)
  await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
  assert.equal((await hook.deliveries('?limit=100')).length, 100)
})

test('a receiver that fails in the middle of a round gets nothing more, and undelivered events are not copied', async () => {
  await using hook = await Hook.start(world)
  hook.receiver.answers = (_, response) => void response.writeHead(hook.receiver.all.length > 300 ? 500 : 204).end()
  await hook.appendMany(1_500)
  await hook.untilShown(({ status }) => status === 'failing')
  const { waiting } = await hook.shown()
  assert.ok(waiting < 100, `${waiting} wait`)
  assert.ok(hook.receiver.all.length < 400, `${hook.receiver.all.length} requests`)
  hook.receiver.answers = undefined
  await hook.pass(minute, ({ taken }) => new Set(taken.map(({ id }) => id)).size === 1_500)
  await hook.untilShown(({ status, waiting }) => status === 'active' && waiting === 0)
})

test('a receiver that never answers, or answers without an end, delays nobody', async () => {
  await using silent = await Hook.start(world)
  silent.receiver.answers = () => new Promise(() => {})
  await using endless = await Hook.start(world, undefined, silent.organization)
  endless.receiver.answers = (_, response) => {
    const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
    response.once('close', () => response.end())
    more()
  }
  await using quick = await Hook.start(world, undefined, silent.organization)
  for (const name of ['A', 'B', 'C']) {
    await silent.labels(name)
    await quick.receiver.until(({ taken }) => taken.at(-1)?.name === name)
  }
  await endless.receiver.until(({ all }) => all.length === 3)
  await endless.untilListed(3)
  const [delivery] = await endless.deliveries()
  assert.deepEqual([delivery.state, delivery.answer], ['delivered', 'x'.repeat(1_024)])
})

test('a receiver that fails is tried with what the webhook is for, past all that it is not', async () => {
  await using hook = await Hook.start(world, { types: ['label.created'] })
  hook.receiver.answers = whileIt(() => true, 500)
  await hook.labels('A')
  await hook.untilShown(({ status }) => status === 'failing')
  await hook.append({ other: Array.from({ length: 90 }, (_, number) => `n${number}`) })
  await hook.labels('B')
  // The clock goes on by one attempt alone.
  await untilReadable(world.db)
  const tried = (name: string) => hook.receiver.all.some((received) => received.name === name)
  await hook.pass(5 * second, () => tried('B'))
})

test('what a round has delivered is stored once the database answers, and is not posted again', async () => {
  await using hook = await Hook.start(world)
  await sql`create sequence tries`.execute(world.db)
  await sql`
    create function refuse_once() returns trigger language plpgsql as $$
      begin if nextval('tries') = 1 then raise exception 'not now'; end if; return new; end $$`.execute(world.db)
  await sql`
    create trigger refuse_once before update of position on webhooks
    for each row execute function refuse_once()`.execute(world.db)
  try {
    await hook.labels('A')
    await hook.receiver.until(({ taken }) => taken.length === 1)
    await hook.untilListed(1)
  } finally {
    await sql`drop function refuse_once cascade`.execute(world.db)
    await sql`drop sequence tries`.execute(world.db)
  }
  await hook.labels('B')
  await hook.receiver.until((receiver) => names(receiver).includes('B'))
  assert.deepEqual(names(hook.receiver), ['A', 'B'])
})

test('a webhook whose round fails is free at once, for a round after five seconds', async () => {
  await using hook = await Hook.start(world)
  const row = world.db.selectFrom('webhooks').where('id', '=', hook.id)
  const { secret } = await row.select('secret').executeTakeFirstOrThrow()
  const set = (secret: Buffer) => world.db.updateTable('webhooks').set({ secret }).where('id', '=', hook.id)
  // A round that runs has read the secret.
  const between = set(Buffer.from('unreadable')).where('leased_until', 'is', null)
  await onceWritten(async () => (await between.executeTakeFirst()).numUpdatedRows === 1n)
  const later = new Date(world.clock.now() + 5 * second)
  await hook.labels('A')
  const waiting = row.select('id').where('leased_until', 'is', null).where('due_at', '>=', later)
  await onceWritten(async () => (await waiting.execute()).length === 1)
  await set(secret).execute()
  await hook.pass(5 * second, (receiver) => names(receiver).includes('A'))
})
