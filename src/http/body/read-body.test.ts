import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { BodyMemory } from './body-memory.ts'
import { readBody, smallBody } from './read-body.ts'

const holder = { organization: 'a', key: 'key' }
const unhurried = { window: 1 << 30, octets: 1 }
const limit = 4 << 20
const room = (over = {}) => new BodyMemory({ all: 3 * limit, waiting: 5, patience: 1 << 30, ...over })
const read = (raw: IncomingMessage, memory = room(), pace = unhurried) => readBody({ raw, holder, limit }, memory, pace)

/** Takes the room of a large body, which there has to be. */
async function take(memory: BodyMemory, by: object = {}): Promise<void> {
  assert.ok(await memory.enter(by, holder, limit, new AbortController().signal), 'there is room')
}

/** A server that hands out the requests it gets, and whoever sends them. */
async function server() {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const clients: Socket[] = []
  return {
    async request(head: string): Promise<{ raw: IncomingMessage; client: Socket }> {
      const client = connect(port, '127.0.0.1')
      clients.push(client)
      client.on('error', () => {})
      client.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`)
      const [raw] = await once(http, 'request')
      return { raw, client }
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}

const chunked = 'Transfer-Encoding: chunked'

for (const [what, size] of [
  ['an empty body', 0],
  ['a body of an octet', 1],
  ['one that is just small', smallBody],
  ['one that is no longer small', smallBody + 1],
  ['the largest', limit],
] as const)
  test(`${what} is read as it was sent, with its length or in chunks`, async () => {
    await using at = await server()
    const octets = Buffer.alloc(size, 'a body, ')
    const whole = await at.request(`Content-Length: ${size}`)
    whole.client.write(octets)
    assert.deepEqual(await read(whole.raw), octets)
    const inChunks = await at.request(chunked)
    const reading = read(inChunks.raw)
    for (let from = 0; from < size; from += 100_000) {
      const piece = octets.subarray(from, from + 100_000)
      inChunks.client.write(`${piece.length.toString(16)}\r\n`)
      inChunks.client.write(piece)
      inChunks.client.write('\r\n')
    }
    inChunks.client.write('0\r\n\r\n')
    assert.deepEqual(await reading, octets)
  })

test('a body in chunks of an octet uses no more memory than another', async () => {
  await using at = await server()
  const { raw, client } = await at.request(chunked)
  const size = 8 * smallBody
  const reading = read(raw)
  client.write(Buffer.alloc(6 * size, '1\r\nx\r\n'))
  client.write('0\r\n\r\n')
  const body = await reading
  assert.equal(body.length, size)
  assert.ok(body.buffer.byteLength <= 4 * size)
})

test('a body over the limit is refused, which is named; one that says its length before it comes', async () => {
  await using at = await server()
  const declared = await at.request(`Content-Length: ${limit + 1}`)
  const tooLarge = { code: 'invalid_request', field: 'body', message: /4 MiB/ }
  await assert.rejects(read(declared.raw), tooLarge)
  const { raw, client } = await at.request(chunked)
  const reading = read(raw)
  client.write(`${(limit + 1).toString(16)}\r\n`)
  client.write(Buffer.alloc(limit + 1))
  await assert.rejects(reading, tooLarge)
})

for (const head of [`Content-Length: ${limit}`, chunked]) {
  test(`where there is no room, a large body waits unread, and is refused if there is none in time (${head})`, async () => {
    await using at = await server()
    const full = room({ patience: 10 })
    const other = {}
    await take(full, other)
    const { raw, client } = await at.request(head)
    const reading = read(raw, full)
    if (head === chunked) client.write(`${limit.toString(16)}\r\n`)
    client.write(Buffer.alloc(limit))
    await assert.rejects(reading, { code: 'rate_limited', retryAfter: 5 })
    full.release(other)
    await take(full)
  })

  test(`it is read once there is room (${head})`, async () => {
    await using at = await server()
    const full = room()
    const other = {}
    await take(full, other)
    const { raw, client } = await at.request(head)
    const reading = read(raw, full)
    if (head === chunked) client.write(`${limit.toString(16)}\r\n`)
    client.write(Buffer.alloc(limit))
    if (head === chunked) client.write('\r\n0\r\n\r\n')
    if (head === chunked) await once(raw, 'pause')
    full.release(other)
    assert.equal((await reading).length, limit)
  })
}

test('a small body never waits', async () => {
  await using at = await server()
  const full = room()
  await take(full)
  const { raw, client } = await at.request(`Content-Length: ${smallBody}`)
  client.write(Buffer.alloc(smallBody))
  assert.equal((await read(raw, full)).length, smallBody)
})

for (const head of ['Content-Length: 100', `Content-Length: ${limit}`, chunked]) {
  test(`a body that does not keep pace ends, and its room is free again (${head})`, async () => {
    await using at = await server()
    const one = room()
    const { raw, client } = await at.request(head)
    client.write('1\r\nx\r\n')
    const reading = read(raw, one, { window: 20, octets: 1000 })
    await assert.rejects(reading, { code: 'invalid_request', message: /timed out/ })
    await take(one)
  })

  test(`a body whose client has disconnected is not awaited (${head})`, async () => {
    await using at = await server()
    const { raw, client } = await at.request(head)
    raw.on('error', () => {})
    client.destroy()
    // It fails before it closes.
    if (!raw.closed) await new Promise((closed) => raw.once('close', closed))
    const one = room()
    await assert.rejects(read(raw, one))
    await take(one)
  })

  test(`the memory of a body whose client disconnects is freed (${head})`, async () => {
    await using at = await server()
    const one = room()
    const { raw, client } = await at.request(head)
    const reading = read(raw, one)
    client.destroy()
    await assert.rejects(reading, { code: 'invalid_request' })
    await take(one)
  })
}

test('a body keeps pace by exactly so many octets in each window, the first one too', async (t) => {
  await using at = await server()
  const { raw, client } = await at.request('Content-Length: 30')
  t.mock.timers.enable({ apis: ['setInterval'] })
  let come = 0
  raw.on('data', (piece: Buffer) => {
    come += piece.length
  })
  const reading = read(raw, room(), { window: 1_000, octets: 10 })
  for (const octets of [10, 20]) {
    client.write('x'.repeat(10))
    while (come < octets) await once(raw, 'data')
    t.mock.timers.tick(1_000)
  }
  client.write('x'.repeat(9))
  while (come < 29) await once(raw, 'data')
  t.mock.timers.tick(1_000)
  await assert.rejects(reading, { code: 'invalid_request', message: /timed out/ })
})

test('a body that had to wait for room keeps pace as others do', async (t) => {
  await using at = await server()
  const full = room()
  const other = {}
  await take(full, other)
  const { raw, client } = await at.request(chunked)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const reading = read(raw, full, { window: 1_000, octets: 10 })
  client.write(`${(2 * smallBody).toString(16)}\r\n`)
  client.write(Buffer.alloc(smallBody + 1))
  await once(raw, 'pause')
  full.release(other)
  await once(raw, 'resume')
  for (const _ of ['what came at first', 'nothing more']) t.mock.timers.tick(1_000)
  await assert.rejects(reading, { code: 'invalid_request', message: /timed out/ })
})
