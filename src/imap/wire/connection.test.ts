import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type Duplex, duplexPair, Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { deflateRawSync } from 'node:zlib'
import { FixedShare, MemoryReservation, MessageMemory } from '#/smtp/connection/message-memory.ts'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import { Bye } from '../answers.ts'
import { ImapConnection } from './connection.ts'
import { Input } from './input.ts'
import { IMAP_LIMITS } from './limits.ts'
import { InflatedSource } from './source.ts'

const context = createSecureContext(testCertificate)

/** A connection without a network: what one end does not read waits at the other. */
function connected(t: TestContext): { connection: ImapConnection; client: Duplex } {
  const [socket, client] = duplexPair()
  const connection = new ImapConnection(socket as Socket, {
    ...{ address: '192.0.2.1', localAddress: '192.0.2.2', limits: IMAP_LIMITS },
    memory: new MemoryReservation(new MessageMemory(IMAP_LIMITS.memory, 15_000), new FixedShare(1 << 30), () => {}),
    shareOf: () => new FixedShare(1 << 30),
    tls: { context: async () => context },
  })
  t.after(() => {
    socket.destroy()
    client.destroy()
  })
  return { connection, client }
}

function signedIn(connection: ImapConnection): ImapConnection {
  connection.signedIn('')
  return connection
}

const seconds = 1000

type End = 'nothing' | 'a BYE' | 'a cut'

for (const [what, after, expected, begin] of [
  ['a client that does not sign in', 59, 'nothing', (c) => c.command()],
  ['a client that does not sign in', 61, 'a BYE', (c) => c.command()],
  ['one that sends a literal meanwhile', 61, 'a BYE', (c, client) => client.write('a X {99+}\r\nabc') && c.command()],
  ['one that is asked for a password', 61, 'a BYE', (c) => c.ask('')],
  ['one that has signed in', 29 * 60, 'nothing', (c) => signedIn(c).command()],
  ['one that has signed in', 31 * 60, 'a BYE', (c) => signedIn(c).command()],
  ['one that is idle', 31 * 60, 'a BYE', (c) => signedIn(c).ask('idling')],
  ['one that waits for its answer', 3600, 'nothing', async () => {}],
  ['a handshake that does not come', 31, 'a cut', (c) => c.startTls()],
  ['a client that does not hang up', 6, 'a cut', (c) => c.close()],
  ['one that does not read', 59, 'nothing', async (c) => void (await c.output.write(Buffer.alloc(1 << 20)))],
  ['one that does not read', 61, 'a cut', async (c) => void (await c.output.write(Buffer.alloc(1 << 20)))],
] satisfies (readonly [string, number, End, (c: ImapConnection, client: Duplex) => unknown])[]) {
  test(`after ${after} seconds ${expected} ends ${what}`, async (t) => {
    const { connection, client } = connected(t)
    const ended = Promise.resolve(begin(connection, client))
    ended.catch(() => {})
    // A connection may give others their turn before it waits.
    await turn()
    await turn()
    connection.check(performance.now() + after * seconds)
    assert.equal(connection.signal.aborted, what === 'a client that does not hang up' || expected === 'a cut')
    if (expected === 'a BYE') await assert.rejects(ended, Bye)
    else if (expected === 'a cut') assert.throws(() => connection.output.write('x'), ClientGone)
  })
}

test('what a client does not read has whoever writes wait, and is not read on meanwhile', async (t) => {
  const { connection, client } = connected(t)
  const [first, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let carriedOut = 0
  const serve = async () => {
    for (;;) {
      const { tag } = await connection.command()
      carriedOut += 1
      connection.output.write(`${tag} ${'x'.repeat(100_000)}\r\n`)
      first.resolve()
      if (carriedOut === 50) all.resolve()
    }
  }
  serve().catch(() => {})
  client.write('a NOOP\r\n'.repeat(50))
  await first.promise
  await turn()
  await turn()
  assert.equal(carriedOut, 1)
  const waiting = connection.output.write('more')
  assert.ok(waiting)
  client.resume()
  await waiting
  await all.promise
})

test('whoever waits to write hears that the client is gone, and so does whoever does not wait', async (t) => {
  const { connection, client } = connected(t)
  const waiting = connection.output.write(Buffer.alloc(1 << 20))
  connection.output.write('not waited for')
  assert.ok(waiting)
  connection.destroy()
  await assert.rejects(waiting, ClientGone)
  assert.throws(() => connection.output.write('more'), ClientGone)
  assert.ok(connection.signal.aborted)
  client.destroy()
})

test('commands that come together leave others their turn', async (t) => {
  const { connection, client } = connected(t)
  client.resume()
  client.write('a NOOP\r\n'.repeat(300))
  await turn()
  let isOver = false
  let between = 0
  const others = () => {
    between += 1
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  for (let left = 300; left > 0; left--) {
    await connection.command()
    now += 0.1
  }
  isOver = true
  assert.ok(between > 1, `${between} turns in 30 ms`)
})

test('what expands to much is inflated as it is read', async () => {
  const bomb = deflateRawSync(Buffer.alloc(16 << 20, 'x'))
  const source = new InflatedSource({ read: once(bomb), release: () => {} }, Buffer.alloc(0), () => wake())
  let wake = () => {}
  let seen = 0
  while (seen < 1 << 20) {
    const chunk = source.read()
    if (!chunk) await new Promise<void>((resolve) => (wake = resolve))
    else assert.ok(chunk.length <= 64 * 1024)
    seen += chunk?.length ?? 0
  }
  source.release()
})

for (const [what, octets] of [
  ['is not compressed', 'a NOOP\r\n'],
  ['ends', deflateRawSync('')],
] as const) {
  test(`a compressed stream that ${what} ends the connection`, async () => {
    const input = new Input(Readable.from([Buffer.from(octets)]))
    input.inflate()
    await assert.rejects(input.line(100), ClientGone)
  })
}

/** What streams do at once is done. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function once(chunk: Buffer): () => Buffer | null {
  let left: Buffer | null = chunk
  return () => {
    const given = left
    left = null
    return given
  }
}
