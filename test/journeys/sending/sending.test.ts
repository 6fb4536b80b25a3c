import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { senderBehind } from '#test/mail/bounce-address.ts'
import { withoutIds } from '#test/observe/without-ids.ts'
import { Sink, type Taken } from '#test/sockets/sink.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

let sink: Sink
let world: World
let organization: TestOrganization
let ada: string
before(async () => {
  sink = await Sink.start()
  world = await World.start({ sink })
  organization = await world.organization()
  ada = (await organization.mailbox('ada')).address
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const send = (body: object) => organization.request('POST', '/v1/send', { from: ada, to: 'bob@there.example', ...body })

async function folder(name: string, address = ada) {
  return (await organization.request('GET', `/v1/messages?mailbox=${address}&folder=${name}`)).body.data
}

test('a message goes to everyone it names, once, and its copy is in Sent', async () => {
  const { status, body } = await send({
    to: ['Bob <bob@there.example>', 'cy@elsewhere.example'],
    bcc: 'eve@there.example',
    subject: 'Grüße',
    text: 'Hello',
    html: '<p>Hello',
    attachments: [{ filename: 'a.txt', content: 'SGk=' }],
  })
  assert.deepEqual([status, body.status], [202, 'queued'])
  await world.outbound.processAll()
  const taken = sink.taken.splice(0)
  assert.deepEqual(
    taken.map(({ from, to }) => [senderBehind(from), to.toSorted()]),
    [[ada, ['bob@there.example', 'cy@elsewhere.example', 'eve@there.example']]],
  )
  const wire = taken[0]?.bytes.toString() ?? ''
  assert.ok(wire.includes(`Message-ID: ${body.message_id}\r\n`))
  assert.doesNotMatch(withoutIds(wire), /eve@|bcc/i)
  const [copy] = await folder('sent')
  assert.deepEqual(
    [copy.message_id, copy.subject, copy.unread, copy.has_attachment],
    [body.message_id, 'Grüße', false, true],
  )
  const raw = await organization.request('GET', `/v1/messages/${copy.uid}/raw?mailbox=${ada}&folder=sent`)
  assert.match(raw.bytes.toString(), /^Bcc: eve@there\.example\r\n/)
})

test('mail from here to here leaves by no wire, and passes blocks and filters', async () => {
  const bea = (await organization.mailbox('bea')).address
  const star = { name: 'Star', field: 'from', op: 'is', value: ada, action: 'star' }
  assert.equal((await organization.request('POST', '/v1/filters', star)).status, 201)
  await send({ to: [bea, `nobody@${organization.domain}`], subject: 'Inside', text: 'Hello' })
  await world.outbound.processAll()
  assert.deepEqual(sink.taken, [])
  const [message] = await folder('inbox', bea)
  assert.deepEqual([message.subject, message.starred, message.unread], ['Inside', true, true])
  const [notice] = await folder('inbox')
  assert.equal(notice.subject, 'Undelivered mail returned to its sender')
  const { text } = (await organization.request('GET', `/v1/messages/${notice.uid}?mailbox=${ada}`)).body
  assert.match(text, /nobody@.*\n {4}No such address here\./)
})

test('a mail host that asks to wait is asked again, and the message is the same', async () => {
  sink.act = (step) => (step === 'end of data' ? '451 4.7.1 Come again' : undefined)
  const { body } = await send({ text: 'Patience' })
  await world.outbound.processAll()
  assert.deepEqual(sink.taken, [])
  sink.act = () => undefined
  await world.advance(10 * 60_000)
  await world.outbound.processAll()
  const taken: readonly Taken[] = sink.taken.splice(0)
  assert.deepEqual(
    taken.map(({ bytes }) => bytes.includes(body.message_id)),
    [true],
  )
})

test('recipients are counted against the day, and over the plan nothing is sent', async () => {
  const free = await world.organization({ plan: 'free' })
  const from = (await free.mailbox('ada')).address
  const request = (count: number) =>
    free.request('POST', '/v1/send', {
      from,
      to: Array.from({ length: count }, (_, n) => `r${n}@there.example`),
      text: 'Hello',
    })
  for (let n = 0; n < 3; n++) assert.equal((await request(25)).status, 202)
  const answers = await Promise.all([request(20), request(20), request(20)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 402, 402])
  const { sending } = (await free.request('GET', '/v1/usage')).body
  assert.deepEqual(sending, { sent_today: 95, limit_per_day: 100, remaining_today: 5 })
  const { total } = (await free.request('GET', `/v1/messages?mailbox=${from}&folder=sent`)).body
  assert.equal(total, 4)
  await world.outbound.processAll()
  assert.equal(sink.taken.splice(0).length, 4)
})

test('with its Idempotency-Key it goes once', async () => {
  const options = { headers: { 'Idempotency-Key': 'once' } }
  const body = { from: ada, to: 'bob@there.example', text: 'Once' }
  const first = await organization.request('POST', '/v1/send', body, options)
  const again = await organization.request('POST', '/v1/send', body, options)
  assert.deepEqual([again.status, again.body], [202, first.body])
  await world.outbound.processAll()
  assert.equal(sink.taken.splice(0).length, 1)
})

for (const [what, change, status, field] of [
  ['a mailbox that there is not', { from: 'nobody@nowhere.example' }, 404, undefined],
  ['a recipient that is no address', { to: ['bob'] }, 400, 'to[0]'],
  ['a line break in the subject', { subject: 'a\r\nBcc: eve@x.example' }, 400, 'subject'],
  ['a line break in a name', { to: ['Bob\r\n <bob@x.example>'] }, 400, 'to[0]'],
  ['a line break in a file name', { attachments: [{ filename: 'a\nb', content: '' }] }, 400, 'attachments[0].filename'],
  ['a line break in in_reply_to', { in_reply_to: '<a@x>\r\nX: y' }, 400, 'in_reply_to'],
  ['26 recipients', { to: Array.from({ length: 26 }, (_, n) => `a${n}@x.example`) }, 400, 'to'],
  ['11 attachments', { attachments: Array(11).fill({ filename: 'a', content: '' }) }, 400, 'attachments'],
  ['a field that nobody knows', { priority: {} }, 400, 'priority'],
  ['a number for the text', { text: 5 }, 400, 'text'],
] as const) {
  test(`row 10: ${what} is refused, and nothing is sent`, async () => {
    const answer = await send({ text: 'Hello', ...change })
    assert.deepEqual([answer.status, answer.body.error.field], [status, field])
    assert.deepEqual(await world.db.selectFrom('outbound_messages').select('id').execute(), [])
  })
}

test('no mail is sent from a mailbox or a domain that is suspended', async () => {
  const now = new Date()
  await world.db.updateTable('mailboxes').set({ suspended_at: now }).where('address', '=', ada).execute()
  const { status, body } = await send({ text: 'Hello' })
  assert.deepEqual([status, body.error.field, body.error.message], [400, 'from', `${ada} is suspended`])
  await world.db.updateTable('mailboxes').set({ suspended_at: null }).where('address', '=', ada).execute()
})
