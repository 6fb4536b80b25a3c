import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readMessage } from '#/mime/message.ts'
import { Sink } from '#test/sockets/sink.ts'
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

const headers = {
  'X-Campaign': 'Frühling',
  'X-Tag': ['a', 'b'],
  'List-Unsubscribe': '<https://example.com/leave?id=1>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
const message = { to: 'bob@there.example', text: 'Hello', headers }

async function post(path: string, body: object, status: number) {
  const answer = await organization.request('POST', path, body)
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
  const edited = await organization.request('PATCH', `/v1/drafts/${id}`, { text: 'Dear Bob' })
  assert.deepEqual(edited.body.headers, headers)
  await post(`/v1/drafts/${id}/send`, {}, 202)
  await assertSent()
})

test('a reply has them', async () => {
  await post('/v1/send', { from: ada, to: ada, text: 'To myself' }, 202)
  await world.outbound.processAll()
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${ada}`)
  const { to, ...answer } = message
  await post(`/v1/messages/${body.data[0].uid}/reply?mailbox=${ada}`, answer, 202)
  await world.outbound.processAll()
  const { body: inbox } = await organization.request('GET', `/v1/messages?mailbox=${ada}`)
  const { body: fields } = await organization.request('GET', `/v1/messages/${inbox.data[0].uid}/headers?mailbox=${ada}`)
  assert.ok(JSON.stringify(fields).includes('List-Unsubscribe=One-Click'))
})

test('what may not be given is refused by its name, everywhere', async () => {
  for (const [path, body] of [
    ['/v1/send', { from: ada }],
    ['/v1/scheduled', { from: ada, send_at: new Date(world.clock.now()).toISOString() }],
    ['/v1/drafts', { mailbox: ada }],
  ] as const) {
    for (const [given, field] of [
      [{ Received: 'x' }, 'headers.Received'],
      [{ 'X-A': 'a\r\nBcc: eve@there.example' }, 'headers.X-A'],
      [{ 'X-A': ['a', 'a\nb'] }, 'headers.X-A[1]'],
      [Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`X-${at}`, 'x'])), 'headers'],
    ] as const) {
      const { error } = await post(path, { ...message, ...body, headers: given }, 400)
      assert.deepEqual([error.code, error.field], ['invalid_request', field], path)
    }
  }
  await world.outbound.processAll()
  assert.equal(sink.taken.length, 0)
})
