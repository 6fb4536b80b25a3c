import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { exchange } from '#test/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: a body that is too large gets no further than the HTTP server.

const world = await World.ofFile()
const organization = await world.organization()

const MiB = 1 << 20
const json = 'Host: x\r\nContent-Type: application/json\r\n'
const authorized = () => `${json}Authorization: Bearer ${organization.key}\r\n`

for (const [path, limit] of [
  ['/v1/labels', 1],
  ['/v1/send', 12],
] as const) {
  test(`a body over the ${limit} MiB of ${path} is refused with the limit's name`, async () => {
    const answer = await organization.request('POST', path, Buffer.alloc(limit * MiB + 1, ' '))
    assert.deepEqual([answer.status, answer.body.error.field], [400, 'body'])
    assert.match(answer.body.error.message, new RegExp(`larger than ${limit} MiB`))
  })
}

/** Reads what a connection says until it is that. */
async function until(socket: Socket, wanted: RegExp): Promise<string> {
  let said = ''
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    said += piece
    if (wanted.test(said)) return said
  }
  throw new Error(`it hung up after ${said}`)
}

function open(): Socket {
  const { hostname, port } = new URL(world.base)
  return connect(Number(port), hostname).setNoDelay()
}

test('a client that sends all before it reads is heard to the end, and can go on with its connection', async () => {
  const socket = open()
  const body = Buffer.alloc(12 * MiB, ' ')
  socket.write(`POST /v1/labels HTTP/1.1\r\n${authorized()}Content-Length: ${body.length}\r\n\r\n`)
  await new Promise((sent) => socket.write(body, sent))
  assert.match(await until(socket, /"request_id"/), /^HTTP\/1.1 400 .*larger than 1 MiB/s)
  socket.write(`GET /v1/labels HTTP/1.1\r\n${authorized()}\r\n`)
  assert.match(await until(socket, /"data"/), /^HTTP\/1.1 200 /)
  socket.destroy()
})

test('what is dropped has a limit too', async () => {
  const socket = open()
  const closed = new Promise((hungUp) => socket.once('close', hungUp))
  socket.on('error', () => {})
  socket.write(`POST /v1/labels HTTP/1.1\r\n${authorized()}Content-Length: ${1 << 30}\r\n\r\n`)
  await until(socket, /larger than 1 MiB/)
  socket.resume()
  const piece = Buffer.alloc(MiB)
  let sent = 0
  for (; sent < 1024 && !socket.closed; sent++)
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
  assert.ok(sent < 200, `${sent} MiB`)
})

for (const [what, head, status] of [
  ['without a key', `POST /v1/send HTTP/1.1\r\n${json}`, 401],
  ['without a key, to a path that is not there', `POST /nowhere HTTP/1.1\r\n${json}`, 404],
  ['without a key, under /v1', `PUT /v1/nowhere HTTP/1.1\r\n${json}`, 401],
] as const)
  for (const length of ['Content-Length: 1000000', 'Transfer-Encoding: chunked'])
    test(`a request ${what} is answered before its body comes (${length})`, async () =>
      assert.equal((await exchange(world.base, `${head}${length}\r\n\r\n`))?.status, status))

test('a client that asks before it sends its body gets 100 only when it may send it', async () => {
  const asking = (fields: string, length: number) =>
    `POST /v1/labels HTTP/1.1\r\n${fields}Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`
  for (const [fields, length, status] of [
    [json, 16, 401],
    [authorized(), 2 * MiB, 400],
  ] as const) {
    const answer = await exchange(world.base, asking(fields, length))
    assert.deepEqual([answer?.status, answer?.headers.get('connection')], [status, 'close'])
  }
  const socket = open()
  socket.write(asking(authorized(), 16))
  assert.equal(await until(socket, /\r\n\r\n/), 'HTTP/1.1 100 Continue\r\n\r\n')
  socket.write('{"name": "Asked"}'.slice(0, 16))
  assert.match(await until(socket, /"request_id"/), /^HTTP\/1.1 400 /)
  socket.destroy()
})
