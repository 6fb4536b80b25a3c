import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/mime/message.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sink, ada, request, sentMail } = await sendingWorld()

const headers = {
  'X-Campaign': 'Frühling',
  'X-Tag': ['a', 'b'],
  'List-Unsubscribe': '<https://example.com/leave?id=1>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
const message = { to: 'bob@there.example', text: 'Hello', headers }

async function post(path: string, body: object, status: number) {
  const answer = await request('POST', path, body)
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  return answer.body
}

async function assertSent(): Promise<void> {
  await world.rounds.processAll()
  const [taken, ...more] = sink.taken.splice(0)
  assert.equal(more.length, 0)
  const { headers: sent } = readMessage(taken?.bytes ?? Buffer.alloc(0))
  const values = (name: string) => sent.fields.filter((field) => field.name === name).map((field) => sent.textOf(field))
  assert.deepEqual(['x-campaign', 'x-tag', 'list-unsubscribe', 'list-unsubscribe-post'].map(values), [
    ['Frühling'],
    ['a', 'b'],
    ['<https://example.com/leave?id=1>'],
    ['List-Unsubscribe=One-Click'],
  ])
}

test('a message that is sent has the fields that it was given', async () => {
  await post('/v1/send', { from: ada, ...message }, 202)
  await assertSent()
})

test('a scheduled message has them', async () => {
  await post('/v1/scheduled', { from: ada, ...message, send_at: new Date(world.clock.now()).toISOString() }, 201)
  await assertSent()
})

test('a draft keeps them over edits, and is sent with them', async () => {
  const { id, headers: kept } = await post('/v1/drafts', { mailbox: ada, ...message }, 201)
  assert.deepEqual(kept, headers)
  const edited = await request('PATCH', `/v1/drafts/${id}`, { text: 'Dear Bob' })
  assert.deepEqual(edited.body.headers, headers)
  await post(`/v1/drafts/${id}/send`, {}, 202)
  await assertSent()
})

test('a reply has them', async () => {
  await post('/v1/send', { from: ada, to: ada, text: 'To myself' }, 202)
  await world.outbound.processAll()
  const { body } = await request('GET', `/v1/messages?mailbox=${ada}`)
  const { to, ...answer } = message
  await post(`/v1/messages/${body.data[0].uid}/reply?mailbox=${ada}`, answer, 202)
  await world.outbound.processAll()
  const { body: inbox } = await request('GET', `/v1/messages?mailbox=${ada}`)
  const { body: fields } = await request('GET', `/v1/messages/${inbox.data[0].uid}/headers?mailbox=${ada}`)
  assert.ok(JSON.stringify(fields).includes('List-Unsubscribe=One-Click'))
})

test('what may not be given is refused by its name, everywhere', async () => {
  const send_at = new Date(world.clock.now()).toISOString()
  for (const [path, body] of [
    ['/v1/send', { from: ada }],
    ['/v1/scheduled', { from: ada, send_at }],
    ['/v1/drafts', { mailbox: ada }],
  ] as const) {
    const { error } = await post(path, { ...message, ...body, headers: { Received: 'x' } }, 400)
    assert.deepEqual([error.code, error.field], ['invalid_request', 'headers.Received'], path)
  }
  assert.deepEqual(await sentMail(), [])
})
