import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import type { Relay } from '#/out/relay/relay.ts'
import type { MailSource } from '#/out/relay/servers.ts'
import { letter, short } from '#test/out/relay/bench.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { DirectMxRelay } from './direct-mx/direct-mx.ts'
import { SmarthostRelay } from './smarthost.ts'
import { tryRelay } from './trial.ts'

const log = pino({ level: 'silent' })
const chosen: MailSource = { family: 'any', ipv4: '127.0.0.5', ipv6: '::1' }
const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }
const deliver = (relay: Relay) => relay.deliver(delivery, new AbortController().signal)

/** The addresses from which a server is connected to, which is busy whenever somebody comes. */
async function clientsOf(work: (port: number) => Promise<unknown>): Promise<(string | undefined)[]> {
  const clients: (string | undefined)[] = []
  const server = createServer((socket) => {
    clients.push(socket.remoteAddress)
    socket.on('error', () => {})
    socket.resume().end('421 4.3.2 Busy\r\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await work((server.address() as AddressInfo).port)
  server.close()
  await once(server, 'close')
  return clients
}

function smarthost(address: string, port: number, source: MailSource): SmarthostRelay {
  return new SmarthostRelay({ peer: { host: 'relay.test', address, port, tls: 'never' }, name: 'us.example', source })
}

for (const [what, work] of Object.entries({
  'to a mail host': async (port: number) => {
    const resolver = new ZoneResolver({ 'dest.test': { a: ['127.0.0.1'] } })
    const given = { resolver, clock: new ManualClock(new Date()), name: 'us.example', log }
    await using relay = new DirectMxRelay({ ...given, allowPrivate: true, port, source: chosen })
    await deliver(relay)
  },
  'to a relay': async (port: number) => {
    await using relay = smarthost('127.0.0.1', port, chosen)
    await deliver(relay)
  },
  'to a relay that is tried': (port: number) =>
    tryRelay({ host: '127.0.0.1', port, tls: 'never', login: undefined }, 'us.example', chosen),
}))
  test(`mail leaves from the address that is set, ${what}`, async () =>
    assert.deepEqual(await clientsOf(work), ['127.0.0.5']))

for (const [what, address, source, expected] of [
  ['by its name', 'localhost', chosen, 'delivered 2.0.0'],
  ['by its name, over IPv4 alone', 'localhost', { ...chosen, family: 4 }, 'delivered 2.0.0'],
  ['over IPv6 alone, where it has none', '127.0.0.1', { ...chosen, family: 6 }, 'deferred 4.4.1'],
  ['from an address that this machine does not have', '127.0.0.1', { ...chosen, ipv4: '192.0.2.1' }, 'deferred 4.4.1'],
] as const satisfies [string, string, MailSource, string][])
  test(`a relay is reached ${what}: ${expected}`, async () => {
    await using sink = await Sink.start()
    await using relay = smarthost(address, sink.port, source)
    assert.deepEqual(short(await deliver(relay)), [expected])
  })
