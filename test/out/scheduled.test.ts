import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { messageDate } from '#/formats/mime/header/date.ts'
import { signaturesOf } from '#/out/compose/sign.ts'
import { octetsInOnePiece } from '#/out/queue/message.ts'
import { mailKey } from '#test/world/installation.ts'
import { tablesWith } from '#test/world/observe/tables-with.ts'
import { withoutIds } from '#test/world/observe/without-ids.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
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

/** What an organization schedules for in a minute, and the octets that are stored. */
async function scheduled(organization: TestOrganization) {
  const { address: from } = await organization.mailbox('ada')
  const sendAt = new Date(world.clock.now() + minute)
  const { status, body } = await organization.request('POST', '/v1/scheduled', {
    ...{ from, to: 'bob@there.example', subject: 'Grüße', text: 'Hello', send_at: sendAt.toISOString() },
  })
  assert.equal(status, 201)
  const stored = (await octetsInOnePiece(world.db, mailKey, [{ id: body.id, sizeBytes: 0 }])).get(body.id)
  assert.ok(stored)
  return { id: body.id as string, sendAt, stored }
}

/** What the sink is given so much later, with its Date; signed twice, and both signatures hold. */
async function sentAfter(milliseconds: number) {
  await world.advance(milliseconds)
  await world.rounds.processAll()
  const [taken, ...more] = sink.taken.splice(0)
  assert.ok(taken)
  assert.deepEqual(more, [])
  const resolver = (name: string) => world.dns.txt(name)
  const { results } = await dkimVerify(taken.bytes, { resolver, curTime: new Date(world.clock.now()) })
  assert.deepEqual(
    results.map(({ status }) => status.result),
    ['pass', 'pass'],
  )
  return { octets: taken.bytes, date: /^Date: (.*)\r$/m.exec(taken.bytes.toString('latin1'))?.[1] }
}

const selectorsOf = (octets: Buffer) => signaturesOf(octets).selectors.toSorted()
const now = () => messageDate(new Date(world.clock.now()))

test('a message sent in time has the Date of that time and the octets signed when it was scheduled', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { sendAt, stored } = await scheduled(organization)
  const { octets, date } = await sentAfter(16 * minute)
  assert.equal(date, messageDate(sendAt))
  assert.deepEqual(octets, stored)
})

test('a message sent late is dated and signed again, once', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { stored } = await scheduled(organization)
  const { octets, date } = await sentAfter(16 * minute + 1)
  assert.equal(date, now())
  assert.deepEqual(selectorsOf(octets), selectorsOf(stored))
  assert.notDeepEqual(octets, stored)
})

test('what was signed with keys that have been followed by others is signed with those alone', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { stored } = await scheduled(organization)
  await signingDomain(world, organization)
  const { octets } = await sentAfter(minute)
  assert.equal(selectorsOf(octets).length, 2)
  for (const one of selectorsOf(octets)) assert.ok(!selectorsOf(stored).includes(one), one)
})

test('a message scheduled before its domain had keys is signed when it is sent', async () => {
  const organization = await world.organization()
  const { stored } = await scheduled(organization)
  assert.deepEqual(selectorsOf(stored), [])
  await signingDomain(world, organization)
  await sentAfter(minute)
})

test('a failed message that is retried has another Date, however soon', async () => {
  const organization = await world.organization()
  await signingDomain(world, organization)
  const { id } = await scheduled(organization)
  sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 Nobody' : undefined)
  await world.advance(minute)
  await world.rounds.processAll()
  sink.act = () => undefined
  await world.advance(minute)
  assert.equal((await organization.request('POST', `/v1/scheduled/${id}/retry`)).status, 200)
  const { date } = await sentAfter(minute)
  assert.equal(date, now())
})
