import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { NotOurs, Rejection } from '#/smtp/protocol/reply.ts'
import { PolicyListener } from './policy-listener.ts'
import { admitted } from './recipients/fixtures/admitted.ts'

const blocked = 'Sender blocked by the recipient'
const asked: [sender: string, recipient: string][] = []
const policy = new PolicyListener(
  {
    async admit(sender, recipient) {
      asked.push([sender, recipient])
      if (recipient.endsWith('@elsewhere.example')) throw new NotOurs()
      if (sender === 'spam@bad.example') throw new Rejection(550, '5.7.1', blocked)
      if (recipient.startsWith('broken')) throw new Error('the database is away')
      return admitted({ recipient })
    },
  },
  pino({ level: 'silent' }),
)
await policy.listen('127.0.0.1', 0)
after(() => policy[Symbol.asyncDispose]())

function request(attributes: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ request: 'smtpd_access_policy', protocol_state: 'RCPT', ...attributes })
  return `${lines.map(([name, value]) => `${name}=${value}\n`).join('')}\n`
}

async function opened(): Promise<Socket> {
  const socket = connect(policy.port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

async function answers(socket: Socket, count: number): Promise<string[]> {
  let received = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += chunk
    if (received.split('\n\n').length > count) break
  }
  return received.split('\n\n').slice(0, -1)
}

for (const [what, attributes, action] of [
  ['a recipient that is here', { sender: 'ann@peer.example', recipient: 'bob@here.example' }, 'DUNNO'],
  ['a blocked sender', { sender: 'spam@bad.example', recipient: 'bob@here.example' }, `550 5.7.1 ${blocked}`],
  ['a domain that is not ours', { sender: 'ann@peer.example', recipient: 'bob@elsewhere.example' }, 'DUNNO'],
  ['internal error', { recipient: 'broken@here.example' }, '451 4.3.0 Internal error; try again later'],
  ['another stage', { protocol_state: 'DATA', sender: 'spam@bad.example', recipient: 'bob@here.example' }, 'DUNNO'],
  ['no recipient', { sender: 'spam@bad.example', recipient: '' }, 'DUNNO'],
  ['nothing of a recipient', { sender: 'spam@bad.example' }, 'DUNNO'],
] as const)
  test(`${what}: ${action}`, async () => {
    const socket = await opened()
    socket.write(request(attributes))
    assert.deepEqual(await answers(socket, 1), [`action=${action}`])
    socket.destroy()
  })

test('the null sender is an empty one, and values may hold an equals sign', async () => {
  const socket = await opened()
  socket.write(request({ sender: '', recipient: 'a=b@here.example' }))
  assert.deepEqual(await answers(socket, 1), ['action=DUNNO'])
  assert.deepEqual(asked.at(-1), ['', 'a=b@here.example'])
  socket.destroy()
})

test('requests on one connection are answered in their order, however they are cut', async () => {
  const socket = await opened()
  const all = ['bob', 'broken', 'cy'].map((local) =>
    request({ sender: 'a@x.example', recipient: `${local}@here.example` }),
  )
  const text = all.join('')
  for (const octet of text.slice(0, 200)) socket.write(octet)
  socket.write(text.slice(200))
  const said = (await answers(socket, 3)).map((answer) => answer.slice(0, 14))
  assert.deepEqual(said, ['action=DUNNO', 'action=451 4.3', 'action=DUNNO'])
  socket.destroy()
})

test('a request without an end is cut off', async () => {
  const socket = await opened()
  socket.on('error', () => {})
  socket.write('x'.repeat(100_000))
  socket.resume()
  await once(socket, 'close')
})
