import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tablesWith } from '#test/observe/tables-with.ts'
import { withoutIds } from '#test/observe/without-ids.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const [second, minute] = [1_000, 60_000]

const { world, sink, organization, ada, request } = await sendingWorld({ name: 'Ada' })

const inFuture = (milliseconds: number) => new Date(world.clock.now() + milliseconds).toISOString()

const usual = { from: ada, to: 'bob@there.example', text: 'Hello' }
const schedule = (body: object) => request('POST', '/v1/scheduled', { ...usual, send_at: inFuture(minute), ...body })

const list = async () => (await request('GET', '/v1/scheduled')).body.data

const folder = async (name: string) => (await request('GET', `/v1/messages?mailbox=${ada}&folder=${name}`)).body.data

const headerOf = (bytes: Buffer, name: string) =>
  new RegExp(`^${name}: (.*)\\r\\n`, 'm').exec(bytes.toString('latin1'))?.[1]

test('a message is stored, sent in the first round after its time, leaves the list, and its copy is in Sent', async () => {
  const sendAt = inFuture(10 * minute)
  const fields = {
    ...{ send_at: sendAt, to: ['Bob <bob@there.example>', 'cy@elsewhere.example'], subject: 'Grüße' },
    bcc: ['Eve <eve@there.example>'],
  }
  const content = { html: '<p>Hello', attachments: [{ filename: 'a.txt', content: 'SGk=' }] }
  const { status, body, headers } = await schedule({ ...fields, ...content })
  assert.deepEqual([status, body], [201, { id: body.id, send_at: sendAt, status: 'pending', warnings: [] }])
  assert.equal(headers.get('location'), `/v1/scheduled/${body.id}`)
  const keys = world.db.selectFrom('api_keys').select(['id', 'name']).where('organization_id', '=', organization.id)
  const by = { scheduled_by: 'api_key', scheduled_by_member: null, scheduled_by_key: await keys.executeTakeFirst() }
  const item = {
    ...{ id: body.id, from: ada, cc: [], ...fields, status: 'pending', last_error: null, attachment_count: 1 },
    ...{ unless_replied: false, ...by, created_at: new Date(world.clock.now()).toISOString() },
  }
  assert.deepEqual(await list(), [item])
  assert.deepEqual((await request('GET', `/v1/scheduled/${body.id}`)).body, {
    ...item,
    text: 'Hello',
    html: content.html,
    attachments: [{ filename: 'a.txt', content_type: 'text/plain', size_bytes: 2, inline: false }],
  })
  await world.rounds.processAll()
  assert.equal(sink.taken.length, 0)
  await world.advance(10 * minute)
  await world.rounds.processAll()
  const [taken, ...others] = sink.taken.splice(0)
  assert.ok(taken)
  assert.deepEqual(others, [])
  assert.deepEqual(taken.to.toSorted(), ['bob@there.example', 'cy@elsewhere.example', 'eve@there.example'])
  assert.equal(headerOf(taken.bytes, 'Date'), new Date(world.clock.now()).toUTCString().replace('GMT', '+0000'))
  assert.equal(headerOf(taken.bytes, 'From'), `Ada <${ada}>`)
  assert.doesNotMatch(withoutIds(taken.bytes.toString()), /eve@|bcc/i)
  assert.deepEqual(await list(), [])
  assert.equal((await request('GET', `/v1/scheduled/${body.id}`)).status, 404)
  const [copy] = await folder('sent')
  assert.deepEqual([copy.subject, copy.message_id, copy.unread], ['Grüße', headerOf(taken.bytes, 'Message-ID'), false])
  const raw = await request('GET', `/v1/messages/${copy.uid}/raw?mailbox=${ada}&folder=sent`)
  assert.equal(raw.bytes.toString('latin1'), `Bcc: eve@there.example\r\n${taken.bytes.toString('latin1')}`)
  for (const table of ['outbound_messages', 'outbound_pieces', 'outbound_recipients'] as const)
    assert.deepEqual(await world.db.selectFrom(table).selectAll().execute(), [], table)
})

test('a pending message moves to another time, which becomes its Date, and no other does', async () => {
  const { body } = await schedule({ send_at: inFuture(2 * minute) })
  const move = (send_at: string) => request('PATCH', `/v1/scheduled/${body.id}`, { send_at })
  const past = { send_at: inFuture(-61 * second) }
  for (const { status, body: refused } of [await schedule(past), await move(past.send_at)])
    assert.deepEqual([status, refused.error.field], [400, 'send_at'])
  const sendAt = inFuture(10 * minute)
  const { status, body: moved } = await move(sendAt)
  assert.deepEqual([status, moved.send_at, moved.status, moved.warnings], [200, sendAt, 'pending', []])
  assert.equal((await list())[0]?.send_at, sendAt)
  await world.advance(3 * minute)
  await world.rounds.processAll()
  assert.equal(sink.taken.length, 0)
  await world.advance(7 * minute)
  const date = new Date(world.clock.now()).toUTCString().replace('GMT', '+0000')
  await world.rounds.processAll()
  const dates = sink.taken.splice(0).map(({ bytes }) => headerOf(bytes, 'Date'))
  assert.deepEqual(dates, [date])
  assert.equal((await move(inFuture(minute))).status, 404)
})

test('a cancelled message leaves no byte behind, and is not sent', async () => {
  const { body } = await schedule({ subject: 'Secret plan', text: 'Do not keep this sentence' })
  assert.equal((await request('GET', `/v1/scheduled/${body.id}`)).body.text, 'Do not keep this sentence\n')
  const path = `/v1/scheduled/${body.id}`
  assert.deepEqual((await request('DELETE', path)).body, { cancelled: true, id: body.id })
  // The log of what happened has its id, and nothing of what it said.
  assert.deepEqual(await tablesWith(world.db, body.id), ['events'])
  for (const text of ['Secret plan', 'Do not keep']) assert.deepEqual(await tablesWith(world.db, text), [])
  assert.equal((await request('DELETE', path)).status, 404)
  await world.advance(2 * minute)
  await world.rounds.processAll()
  assert.deepEqual(sink.taken, [])
  assert.equal((await folder('drafts')).length, 0)
})
