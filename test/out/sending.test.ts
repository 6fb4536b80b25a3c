import assert from 'node:assert/strict'
import { test } from 'node:test'
import { senderBehind } from '#test/world/letters/bounce-address.ts'
import { withoutIds } from '#test/world/observe/without-ids.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { organization, ada, request, sentMail } = await sendingWorld()

const send = (body: object) => request('POST', '/v1/send', { from: ada, to: 'bob@there.example', ...body })

const folder = async (name: string, address = ada) =>
  (await request('GET', `/v1/messages?mailbox=${address}&folder=${name}`)).body.data

test('a message goes to everyone it names, once, and its copy is in Sent', async () => {
  const fields = { subject: 'Grüße', text: 'Hello', html: '<p>Hello' }
  const to = { to: ['Bob <bob@there.example>', 'cy@elsewhere.example'], bcc: 'eve@there.example' }
  const { status, body } = await send({ ...to, ...fields, attachments: [{ filename: 'a.txt', content: 'SGk=' }] })
  assert.deepEqual([status, body.status], [202, 'queued'])
  const taken = await sentMail()
  assert.deepEqual(
    taken.map(({ from, to }) => [senderBehind(from), to.toSorted()]),
    [[ada, ['bob@there.example', 'cy@elsewhere.example', 'eve@there.example']]],
  )
  const wire = taken[0]?.bytes.toString() ?? ''
  assert.ok(wire.includes(`Message-ID: ${body.message_id}\r\n`))
  assert.doesNotMatch(withoutIds(wire), /eve@|bcc/i)
  const [copy] = await folder('sent')
  const { message_id } = body
  assert.partialDeepStrictEqual(copy, { message_id, subject: 'Grüße', unread: false, has_attachment: true })
  const raw = await request('GET', `/v1/messages/${copy.uid}/raw?mailbox=${ada}&folder=sent`)
  assert.match(raw.bytes.toString(), /^Bcc: eve@there\.example\r\n/)
})

test('mail from here to here leaves by no wire, and passes blocks and filters', async () => {
  const bea = (await organization.mailbox('bea')).address
  const star = { name: 'Star', field: 'from', op: 'is', value: ada, action: 'star' }
  assert.equal((await request('POST', '/v1/filters', star)).status, 201)
  await send({ to: [bea, `nobody@${organization.domain}`], subject: 'Inside', text: 'Hello' })
  assert.deepEqual(await sentMail(), [])
  const [message] = await folder('inbox', bea)
  assert.deepEqual([message.subject, message.starred, message.unread], ['Inside', true, true])
  const [notice] = await folder('inbox')
  assert.equal(notice.subject, 'Undelivered mail returned to its sender')
  const { text } = (await request('GET', `/v1/messages/${notice.uid}?mailbox=${ada}`)).body
  assert.match(text, /nobody@.*\n {4}No such address here\./)
})
