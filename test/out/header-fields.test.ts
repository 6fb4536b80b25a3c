import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sink, organization, ada, sentMail } = await sendingWorld()

const headers = {
  'X-Campaign': 'Frühling',
  'X-Tag': ['a', 'b'],
  'List-Unsubscribe': '<https://example.com/leave?id=1>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
const answer = { text: 'Hello', headers }
const message = { to: 'bob@there.example', ...answer }
const post = (status: number, path: string, body: object) => organization.bodyOf(status, 'POST', path, body)
const sendAt = () => ({ send_at: new Date(world.clock.now()).toISOString() })

for (const [what, send] of [
  ['a message', () => post(202, '/v1/send', { from: ada, ...message })],
  ['a scheduled message', () => post(201, '/v1/scheduled', { from: ada, ...message, ...sendAt() })],
  [
    'a draft that was edited',
    async () => {
      const { id } = await post(201, '/v1/drafts', { mailbox: ada, ...message })
      const edited = await organization.bodyOf(200, 'PATCH', `/v1/drafts/${id}`, { text: 'Dear Bob' })
      assert.deepEqual(edited.headers, headers)
      return await post(202, `/v1/drafts/${id}/send`, {})
    },
  ],
  [
    'a reply',
    async () => {
      await world.send({ from: 'bob@there.example', to: ada, subject: 'Hello', text: 'Hello' })
      return await post(202, `/v1/messages/1/reply?mailbox=${ada}`, answer)
    },
  ],
] as const)
  test(`${what} leaves with the fields that it was given`, async () => {
    await send()
    await world.rounds.processAll()
    const [taken, ...more] = sink.taken.splice(0)
    assert.equal(more.length, 0)
    const { headers: sent } = readMessage(taken?.bytes ?? Buffer.alloc(0))
    for (const [name, value] of Object.entries(headers)) {
      const fields = sent.fields.filter((field) => field.name === name.toLowerCase())
      const texts = fields.map((field) => sent.textOf(field))
      assert.deepEqual(texts, [value].flat(), name)
    }
  })

test('what may not be given is refused by its name, everywhere', async () => {
  for (const [path, body] of [
    ['/v1/send', { from: ada }],
    ['/v1/scheduled', { from: ada, ...sendAt() }],
    ['/v1/drafts', { mailbox: ada }],
  ] as const) {
    const { error } = await post(400, path, { ...message, ...body, headers: { Received: 'x' } })
    assert.deepEqual([error.code, error.field], ['invalid_request', 'headers.Received'], path)
  }
  assert.deepEqual(await sentMail(), [])
})
