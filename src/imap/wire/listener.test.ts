import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { pino } from 'pino'
import { ImapClient } from '#test/world/imap/client.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import { Bad, Bye } from '../answers.ts'
import type { Connection, Serve } from '../session/connection.ts'
import { statusLine } from './format.ts'
import { ImapListener, type ImapListenerConfig } from './listener.ts'

const context = createSecureContext(testCertificate)
const tls = { context: async () => context }

/** The commands that sessions got. */
const seen: string[] = []

/** As /proc/net/tcp says it. */
const [established, keepAliveTimer] = ['01', '02']

const v2 = '\r\n\r\n\0\r\nQUIT\n'

/** A session with a few commands of its own. */
const serve: Serve = async (connection) => {
  const { output } = connection
  output.write(`* OK [${connection.address}]\r\n`)
  try {
    for (;;) await carryOut(connection)
  } catch (error) {
    if (error instanceof Bye) output.write(statusLine('*', 'BYE', error.message, error.code))
  }
  await connection.close()
}

async function carryOut(connection: Connection): Promise<void> {
  const { output } = connection
  const { tag, name, args } = await connection.command().catch((error: unknown) => {
    if (error instanceof Bad) return { tag: '*', name: 'BAD', args: undefined }
    throw error
  })
  seen.push(name)
  const done = (text = name) => output.write(statusLine(tag, name === 'BAD' ? 'BAD' : 'OK', text))
  switch (name) {
    case 'STARTTLS':
      done()
      return connection.startTls()
    case 'COMPRESS':
      done()
      return connection.compress()
    case 'LOGIN':
      connection.signedIn('books')
      return void done()
    case 'SEND': {
      args?.space()
      output.write('* ')
      for (let left = args?.number() ?? 0; left > 0; left--) await output.write(Buffer.alloc(1 << 20, 'x'))
      output.write('\r\n')
      return void done()
    }
    default:
      done()
  }
}

async function listening(config: ImapListenerConfig = {}): Promise<ImapListener> {
  const listener = new ImapListener(config, serve, pino({ enabled: false }))
  await listener.listen('127.0.0.1', 0)
  return listener
}

test('a client is answered in order, however much it sends at once', async () => {
  await using listener = await listening()
  await using client = await ImapClient.greeted(listener.port)
  client.write(Array.from({ length: 1000 }, (_, at) => `a${at} NOOP\r\n`).join(''))
  for (let at = 0; at < 1000; at++) assert.equal((await client.answer(`a${at}`)).status, 'OK')
})

test('what is no command is answered, and a client that sends nothing else is sent away', async () => {
  await using listener = await listening({ limits: { faults: 2 } })
  await using client = await ImapClient.greeted(listener.port)
  client.write('\r\na1\r\na2 x\0\r\n+ NOOP\r\n')
  await client.untagged(/^BYE/)
  assert.equal((await client.answer('a1')).status, 'BAD')
})

test('a literal is asked for, or refused', async () => {
  await using listener = await listening()
  await using client = await ImapClient.greeted(listener.port)
  const large = 'x'.repeat(5000)
  assert.match((await client.run('LOGIN ann ', { literal: large })).text, /TOOBIG/)
  assert.match((await client.run('LOGIN ann ', { literal: large, mark: '+' })).text, /TOOBIG/)
  assert.equal((await client.run('LOGIN ann ', { literal: 'secret' })).status, 'OK')
  assert.equal((await client.run('APPEND INBOX ', { literal: 'x'.repeat(300_000) })).status, 'OK')
})

test('what comes in the clear behind STARTTLS is thrown away', async () => {
  await using listener = await listening({ tls })
  await using client = await ImapClient.greeted(listener.port)
  seen.length = 0
  assert.equal((await client.startTls('x1 INJECTED\r\nx2 INJ')).status, 'OK')
  assert.equal((await client.run('NOOP')).status, 'OK')
  assert.deepEqual(seen, ['STARTTLS', 'NOOP'])
})

test('a client may begin with TLS', async () => {
  await using listener = await listening({ tls, implicitTls: true })
  await using client = await ImapClient.openTls(listener.port)
  assert.equal((await client.run('NOOP')).status, 'OK')
})

test('both directions may be compressed, over TLS too', async () => {
  await using listener = await listening({ tls })
  await using client = await ImapClient.greeted(listener.port)
  await client.startTls()
  await client.compress()
  for (let at = 0; at < 3; at++) assert.equal((await client.run('NOOP')).status, 'OK')
  assert.equal((await client.run('LOGIN ann ', { literal: 'secret' })).status, 'OK')
  const { untagged } = await client.run('SEND 3')
  assert.equal(untagged[0]?.length, 3 << 20)
})

for (const [what, header, from] of [
  ['version 1', 'PROXY TCP4 192.0.2.1 192.0.2.2 4711 143\r\n', '192.0.2.1'],
  ['version 1 for IPv6', 'PROXY TCP6 2001:db8::1 2001:db8::2 4711 143\r\n', '2001:db8::1'],
  ['a proxy that knows nobody', 'PROXY UNKNOWN\r\n', '127.0.0.1'],
  ['version 2', `${v2}\x21\x11\x00\x0f\xc0\x00\x02\x01\xc0\x00\x02\x02\x12\x67\x00\x8fxyz`, '192.0.2.1'],
  ['version 2 for a health check', `${v2}\x20\x00\x00\x00`, '127.0.0.1'],
] as const) {
  test(`a proxy names the client by ${what}`, async () => {
    await using listener = await listening({ proxies: [{ address: '127.0.0.0', bits: 8 }] })
    for (const cut of [1, 5, header.length - 1, header.length]) {
      await using client = await ImapClient.open(listener.port)
      client.write(header.slice(0, cut))
      client.write(`${header.slice(cut)}a NOOP\r\n`)
      assert.equal(await client.untagged(/^OK/), `OK [${from}]`)
      assert.equal((await client.answer('a')).status, 'OK')
    }
  })
}

for (const header of [
  ...['a NOOP\r\n', 'PROXY TCP4 1 2 3 4\r\n', `PROXY ${'x'.repeat(200)}`, `${v2}\x21\x11\x00\x04abcd`],
]) {
  test(`a proxy is not believed ${JSON.stringify(header.slice(0, 20))}`, async () => {
    await using listener = await listening({ proxies: [{ address: '127.0.0.0', bits: 8 }] })
    await using client = await ImapClient.open(listener.port)
    client.write(header)
    assert.equal(await client.ended(), '')
  })
}

test('TCP keeps a connection alive that says nothing', async () => {
  await using listener = await listening()
  await using _client = await ImapClient.greeted(listener.port)
  const at = listener.port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  const [own] = sockets.filter(([, local, , state]) => local?.endsWith(`:${at}`) && state === established)
  assert.equal(own?.[5]?.split(':', 1)[0], keepAliveTimer)
})

test('one network has so many connections, and all have so many', async () => {
  await using listener = await listening({ limits: { connectionsPerClient: 2 } })
  await using first = await ImapClient.greeted(listener.port)
  await using second = await ImapClient.greeted(listener.port)
  await using third = await ImapClient.open(listener.port)
  assert.match(await third.ended(), /^\* BYE \[UNAVAILABLE\]/)
  first.cut()
  await first[Symbol.asyncDispose]()
  assert.equal((await second.run('NOOP')).status, 'OK')
})

test('at the limit of connections the one that waits longest to sign in makes room', async () => {
  await using listener = await listening({ limits: { connections: 2 } })
  await using first = await ImapClient.greeted(listener.port)
  await first.run('LOGIN ann x')
  await using second = await ImapClient.greeted(listener.port)
  await using third = await ImapClient.greeted(listener.port)
  assert.match(await second.ended(), /^\* BYE \[UNAVAILABLE\]/)
  assert.equal((await first.run('NOOP')).status, 'OK')
  await third.run('LOGIN ann x')
  await using fourth = await ImapClient.open(listener.port)
  assert.match(await fourth.ended(), /^\* BYE \[UNAVAILABLE\]/)
})

test('clients are told goodbye when the listener stops', async () => {
  const listener = await listening()
  await using client = await ImapClient.greeted(listener.port)
  const ended = client.ended()
  await listener[Symbol.asyncDispose]()
  assert.match(await ended, /^\* BYE \[UNAVAILABLE\]/)
})
