import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { letter, subjectsIn } from '#test/world/letters/letter.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'

// On one database: such clients get no further than the listeners.

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')

const many = <T>(count: number, make: (number: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))

/** Sends a message from that address. Answers the last reply, as in `250 2.6.0`. */
async function handFrom(localAddress: string, message = letter()): Promise<string> {
  await using client = await SmtpClient.greeted(world.smtp.port, { localAddress })
  return (await client.send('ann@peer.example', address, message)).codes
}

test('a thousand idle SMTP clients, some at an octet now and then, a flood from one address: mail from others is accepted', async () => {
  await using clients = new AsyncDisposableStack()
  const idle = await many(1_000, (at) =>
    SmtpClient.greeted(world.smtp.port, { localAddress: `127.0.1.${1 + (at % 10)}` }),
  )
  for (const client of idle) clients.use(client)
  const slow = clients.use(await SmtpClient.greeted(world.smtp.port, { localAddress: '127.0.2.1' }))
  await slow.begin('ann@peer.example', address)
  const command = clients.use(await SmtpClient.greeted(world.smtp.port, { localAddress: '127.0.2.2' }))

  const flood = await many(300, () => SmtpClient.open(world.smtp.port, { localAddress: '127.0.3.1' }))
  for (const client of flood) clients.use(client)
  const greetings = await Promise.all(flood.map((client) => client.reply()))
  assert.equal(greetings.filter(({ code }) => code === 220).length, 100)
  assert.equal(greetings.filter(({ code }) => code === 421).length, 200)
  for (let n = 0; n < 20; n++) {
    for (const trickling of [slow, command]) trickling.write('x')
    assert.equal(await handFrom('127.0.4.1', letter({ Subject: `${n}` })), '250 2.6.0')
  }
  assert.equal((await subjectsIn(organization, address)).length, 20)

  slow.write('\r\n.\r\n')
  assert.equal((await slow.reply()).code, 250, 'nor is the slow one sent away while there are idle ones')
})

test('a flood of idle HTTP clients, some at an octet now and then: requests of others are answered', async () => {
  await using clients = new AsyncDisposableStack()
  const { hostname: host, port } = new URL(world.base)
  const open = async (first = ''): Promise<Socket> => {
    const socket = connect({ host, port: Number(port) })
    clients.defer(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(first)
    return socket
  }
  const [silent, head, body, between] = [
    await open(),
    await open('GET /v1/labels HTTP/1.1\r\nX-Slow: '),
    await open('POST /v1/labels HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'),
    await open('GET /v1/labels HTTP/1.1\r\nHost: x\r\n\r\n'),
  ]
  const sentAway = Promise.all([silent, head, body, between].map((socket) => once(socket.resume(), 'close')))
  for (let n = 0; n < 41; n++) {
    for (const trickling of [head, body]) trickling.write('x')
    await many(100, () => open())
    assert.equal((await organization.request('GET', '/v1/labels')).status, 200)
  }
  await sentAway
})
