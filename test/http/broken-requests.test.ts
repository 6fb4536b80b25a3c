import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { exchange, type RawAnswer } from '#test/world/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: a request that cannot be read gets no further than the HTTP server.

const world = await World.ofFile()
const organization = await world.organization()

const labels = 'GET /v1/labels HTTP/1.1\r\n'
const host = 'Host: mailroom.test\r\n'

for (const [what, octets] of [
  ['no HTTP at all', 'Good morning\r\n\r\n'],
  ['a space in the path', `GET /v1/lab els HTTP/1.1\r\n${host}\r\n`],
  ['a control character in a header', `${labels}${host}Accept: \x01\r\n\r\n`],
  ['another version', `GET /v1/labels HTTP/9.9\r\n${host}\r\n`],
  ['two lengths', `POST /v1/labels HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
  ['a chunk that is none', `POST /v1/labels HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ['a header of 20 KB', `${labels}${host}Accept: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['a path of 20 KB', `GET /v1/${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  ['3,000 headers', `${labels}${host}${'A: b\r\n'.repeat(3_000)}\r\n`],
  ['no Host', `${labels}\r\n`],
  ['an escape that is none in its path', `GET /v1/labels/%zz HTTP/1.1\r\n${host}\r\n`],
  ['two Hosts', `${labels}${host}${host}\r\n`],
] as const)
  test(`a request with ${what} gets 400, the error body, and a request id`, async () =>
    assertRefused(await exchange(world.base, octets)))

test('so does one that stops in the middle', async () =>
  assertRefused(await exchange(world.base, 'GET /v1/lab', { end: true })))

test('one that asks for the head alone gets no body', async () => {
  const answer = await exchange(world.base, `HEAD /v1/${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`)
  assert.deepEqual([answer?.status, answer?.body], [400, ''])
})

function assertRefused(answer: RawAnswer | undefined): void {
  assert.equal(answer?.status, 400)
  const { error } = JSON.parse(answer.body)
  assert.equal(error.code, 'invalid_request')
  assert.match(error.request_id, /^req_/)
  assert.equal(error.request_id, answer.headers.get('x-request-id'))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
}

for (const [what, path] of [
  ['with a part of it encoded', '/%761/labels'],
  ['with all of it encoded', '/%76%31/%6c%61%62%65%6c%73'],
  ['with a host in front', 'http://elsewhere.example/v1/labels'],
  ['with a host in front, and encoded', 'http://elsewhere.example/%761/labels'],
] as const)
  test(`a path ${what} is the same path, and asks for a key`, async () => {
    const request = `GET ${path} HTTP/1.1\r\n${host}`
    const without = await exchange(world.base, `${request}\r\n`)
    assert.equal(without?.status, 401)
    const withKey = await exchange(world.base, `${request}Authorization: Bearer ${organization.key}\r\n\r\n`)
    assert.deepEqual([withKey?.status, withKey?.body], [200, '{"data":[],"next_cursor":null}'])
  })

test('two Authorization headers are none', async () => {
  const line = `Authorization: Bearer ${organization.key}\r\n`
  assert.equal((await exchange(world.base, `${labels}${host}${line}${line}\r\n`))?.status, 401)
})

for (const [what, request] of [
  ['an expectation that nobody knows', `${labels}${host}Expect: 200-ok\r\n`],
  ['an upgrade that is not offered', `${labels}${host}Connection: Upgrade\r\nUpgrade: websocket\r\n`],
  ['HTTP/1.0 and no Host', 'GET /v1/labels HTTP/1.0\r\n'],
] as const)
  test(`a request with ${what} is answered like any other`, async () => {
    const answer = await exchange(world.base, `${request}Authorization: Bearer ${organization.key}\r\n\r\n`)
    assert.equal(answer?.status, 200)
  })

// On one database: a body that is too large gets no further than the HTTP server.

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
