import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { letter, short } from '#test/out/relay/bench.ts'
import { relayConformance } from '#test/out/relay/index.ts'
import { each } from '#test/world/each.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import { Sink, type SinkOptions } from '#test/world/sockets/sink.ts'
import { patience } from '../limits.ts'
import { type DirectMxOptions, DirectMxRelay } from './direct-mx.ts'
import { addressesOf } from './mail-hosts.ts'

const silent = pino({ level: 'silent' })

function relayTo(zone: Record<string, ZoneRecords>, options: Partial<DirectMxOptions> = {}): DirectMxRelay {
  const resolver = new ZoneResolver(zone)
  const clock = new ManualClock(new Date())
  return new DirectMxRelay({ resolver, clock, name: 'us.example', log: silent, allowPrivate: true, ...options })
}

relayConformance('direct MX', (sink, settings) => {
  const zone = { 'dest.test': mx('mx.dest.test'), 'mx.dest.test': { a: ['127.0.0.1'] } }
  return relayTo(zone, { port: sink.port, ...settings })
})

/** MX records, each less preferred than the one before. */
function mx(...exchanges: string[]): ZoneRecords {
  return { mx: exchanges.map((exchange, at) => ({ exchange, priority: (at + 1) * 10 })) }
}

/** Sinks at 127.0.0.1, 127.0.0.2 and so on, on one port. */
async function sinksAt(...options: SinkOptions[]) {
  const stack = new AsyncDisposableStack()
  const sinks: Sink[] = []
  for (const [at, one] of options.entries())
    sinks.push(stack.use(await Sink.start({ ...one, host: `127.0.0.${at + 1}`, port: sinks[0]?.port ?? 0 })))
  return { sinks, port: sinks[0]?.port ?? 0, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function deliver(relay: DirectMxRelay, recipient = 'ada@dest.test') {
  const message = letter('Subject: Hello\r\n\r\nHello\r\n')
  const delivery = { ...message, recipients: [recipient], beforeEndOfData: async () => {} }
  const [outcome] = await relay.deliver(delivery, new AbortController().signal)
  assert.ok(outcome)
  return outcome
}

describe('which host gets the mail', () => {
  const hosts = {
    'one.dest.test': { a: ['127.0.0.1'] },
    'two.dest.test': { a: ['127.0.0.2'] },
    'three.dest.test': { a: ['127.0.0.3'] },
  }

  /** A relay to these hosts of a domain, the first of them preferred. */
  const toThese = (at: { readonly port: number }, ...names: string[]) =>
    relayTo({ ...hosts, 'dest.test': mx(...names) }, { port: at.port })

  test('which is not asked by what id it knows the message', async () => {
    const reply = '250 2.0.0 OK <1@a.prod.outlook.com> [Hostname=a]'
    await using at = await sinksAt({ act: (step) => (step === 'end of data' ? reply : undefined) })
    await using relay = toThese(at, 'one.dest.test')
    const outcome = await deliver(relay)
    assert.deepEqual([outcome.reply, outcome.givenId], [reply, undefined])
  })

  test('the most preferred', async () => {
    await using at = await sinksAt({}, {}, {})
    await using relay = toThese(at, 'two.dest.test', 'one.dest.test')
    assert.equal((await deliver(relay)).host, 'two.dest.test')
    assert.deepEqual(each(at.sinks, 'connections'), [0, 1, 0])
  })

  for (const [what, options] of [
    ['refuses connections', undefined],
    ['hangs up', { act: () => ({ next: 'hang up' }) }],
    ['greets with 4xx', { act: (step) => (step === 'greeting' ? '421 4.3.2 Busy' : undefined) }],
    ['greets with 5xx', { act: (step) => (step === 'greeting' ? '554 5.3.2 No mail here' : undefined) }],
    ['will not be greeted', { act: (step) => (step === 'ehlo' || step === 'helo' ? '550 Go away' : undefined) }],
  ] as const satisfies [string, SinkOptions | undefined][])
    test(`the next where one ${what}`, async () => {
      await using at = await sinksAt(options ?? {}, {})
      if (!options) await at.sinks[0]?.[Symbol.asyncDispose]()
      await using relay = toThese(at, 'one.dest.test', 'two.dest.test')
      const { result, host } = await deliver(relay)
      assert.deepEqual([result, host], ['delivered', 'two.dest.test'])
    })

  test('the next where one says nothing', async (t) => {
    await using at = await sinksAt({ act: () => ({ next: 'stall' }) }, {})
    const zone = { ...hosts, 'dest.test': mx('one.dest.test', 'two.dest.test') }
    const greeting = 60_001
    await using relay = relayTo(zone, { port: at.port, limits: { ...patience, greeting } })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const waits = Promise.withResolvers<void>()
    const { setTimeout } = globalThis
    const noting = (work: () => void, limit: number) => {
      if (limit === greeting) waits.resolve()
      return setTimeout(work, limit)
    }
    // Not by t.mock, which would put the timers that stand still back at the end of the test.
    globalThis.setTimeout = noting as typeof setTimeout
    const delivered = deliver(relay)
    await waits.promise
    globalThis.setTimeout = setTimeout
    t.mock.timers.tick(greeting)
    const { result, host } = await delivered
    t.mock.timers.reset()
    assert.deepEqual([result, host], ['delivered', 'two.dest.test'])
  })

  for (const [what, host, zone] of [
    ['the next address where one of a host does not answer', '127.0.0.2', { a: ['127.0.0.1', '127.0.0.2'] }],
    ['a host with IPv6 alone', '::1', { aaaa: ['::1'] }],
    ['by IPv4 where IPv6 does not answer', '127.0.0.1', { aaaa: ['::1'], a: ['127.0.0.1'] }],
    ['the domain itself where it names none', '127.0.0.1', undefined],
  ] as const satisfies [string, string, ZoneRecords | undefined][])
    test(what, async () => {
      await using sink = await Sink.start({ host })
      const named = { 'dest.test': mx('mx.dest.test'), 'mx.dest.test': zone ?? {} }
      await using relay = relayTo(zone ? named : { 'dest.test': { a: [host] } }, { port: sink.port })
      const outcome = await deliver(relay)
      assert.deepEqual([outcome.result, outcome.host], ['delivered', zone ? 'mx.dest.test' : 'dest.test'])
    })

  test('all that are equally preferred, in turn', async () => {
    await using at = await sinksAt({}, {}, {})
    const records = ['one', 'two', 'three'].map((name) => ({ exchange: `${name}.dest.test`, priority: 10 }))
    const zone = { ...hosts, 'dest.test': { mx: records } }
    const chosen = new Set<string | null>()
    for (let n = 0; n < 100 && chosen.size < 3; n++) {
      await using relay = relayTo(zone, { port: at.port })
      chosen.add((await deliver(relay)).host)
    }
    assert.equal(chosen.size, 3)
  })

  test('not the next where one has refused the recipient', async () => {
    await using at = await sinksAt({ act: (step) => (step === 'rcpt' ? '550 5.1.1 Nobody' : undefined) }, {})
    await using relay = toThese(at, 'one.dest.test', 'two.dest.test')
    assert.deepEqual(short([await deliver(relay)]), ['refused 5.1.1'])
  })

  test('none that is less preferred than we are', async () => {
    await using at = await sinksAt({}, {})
    await at.sinks[0]?.[Symbol.asyncDispose]()
    await using relay = toThese(at, 'one.dest.test', 'US.example', 'two.dest.test')
    assert.deepEqual(short([await deliver(relay)]), ['deferred 4.4.1'])
    assert.equal(at.sinks[1]?.connections, 0)
  })

  test('domains are one whatever their case and form', () => {
    const relay = relayTo({})
    assert.equal(relay.routeOf('Ann@BÜCHER.example'), 'xn--bcher-kva.example')
    assert.equal(relay.routeOf('bob@xn--bcher-kva.EXAMPLE'), 'xn--bcher-kva.example')
  })
})

describe('mail that cannot go anywhere', () => {
  for (const [what, zone, expected] of [
    ['a null MX', { 'dest.test': { mx: [{ exchange: '', priority: 0 }] } }, 'refused 5.1.10'],
    ['no such domain', {}, 'refused 5.1.2'],
    ['a lookup that fails', { 'dest.test': { fails: 'servfail' } }, 'deferred 4.4.3'],
    ['a lookup that takes too long', { 'dest.test': { fails: 'timeout' } }, 'deferred 4.4.3'],
    ['a mail host without an address', { 'dest.test': mx('mx.dest.test') }, 'refused 5.4.4'],
    ['a mail host unknown', { 'dest.test': mx('a.test'), 'a.test': { fails: 'servfail' } }, 'deferred 4.4.3'],
    ['one of 3', { 'dest.test': mx('b.test', 'a.test', 'c.test'), 'a.test': { fails: 'timeout' } }, 'deferred 4.4.3'],
    ['mail hosts that are all ourselves', { 'dest.test': mx('us.example', 'mx.dest.test') }, 'refused 5.4.6'],
    ['a mail host that cannot be a name', { 'dest.test': mx('a b\r\nc', 'x'.repeat(300)) }, 'refused 5.4.4'],
    ['a mail host that is an address', { 'dest.test': mx('127.0.0.1') }, 'refused 5.4.4'],
  ] as const satisfies [string, Record<string, ZoneRecords>, string][])
    test(`${what}: ${expected}`, async () => {
      await using relay = relayTo(zone)
      const outcome = await deliver(relay)
      assert.deepEqual(short([outcome]), [expected])
      assert.deepEqual([outcome.host, outcome.reply], [null, null])
      assert.match(outcome.reason, /dest\.test|a\.test|127\.0\.0\.1/)
    })

  test('hosts that all refuse for good: refused, with the reply of one', async () => {
    const refusal = '554 5.7.1 Your address is listed'
    await using at = await sinksAt({ act: () => refusal })
    await using relay = relayTo({ 'dest.test': { a: ['127.0.0.1'] } }, { port: at.port })
    const { result, status, reply, host } = await deliver(relay)
    assert.deepEqual([result, status, reply, host], ['refused', '5.7.1', refusal, 'dest.test'])
  })

  test('of a thousand hosts only some are tried', async () => {
    await using at = await sinksAt({ act: () => '421 4.3.2 Busy' })
    const names = Array.from({ length: 1000 }, (_, n) => `h${n}.dest.test`)
    const hosts = Object.fromEntries(names.map((name) => [name, { a: ['127.0.0.1', '127.0.0.1', '127.0.0.1'] }]))
    await using relay = relayTo({ ...hosts, 'dest.test': mx(...names) }, { port: at.port })
    assert.deepEqual(short([await deliver(relay)]), ['deferred 4.3.2'])
    assert.equal(at.sinks[0]?.connections, 10)
  })
})

describe('no mail into private networks', () => {
  for (const [what, records] of [
    ['loopback', { a: ['127.0.0.1'] }],
    ['private', { a: ['10.1.2.3', '192.168.0.1'], aaaa: ['fd00::1'] }],
  ] as const satisfies [string, ZoneRecords][])
    test(`a mail host that is ${what} (${Object.values(records).flat()[0]})`, async () => {
      await using sink = await Sink.start()
      const zone = { 'dest.test': mx('mx.dest.test'), 'mx.dest.test': records }
      await using relay = relayTo(zone, { port: sink.port, allowPrivate: false })
      const outcome = await deliver(relay)
      assert.deepEqual(short([outcome]), ['refused 5.4.4'])
      assert.match(outcome.reason, /private networks/)
      assert.equal(sink.connections, 0)
    })

  test('a name that answers otherwise when asked again is asked once, and connected to as it answered', async () => {
    await using at = await sinksAt({}, {})
    let asked = 0
    const resolver = new ZoneResolver({ 'dest.test': mx('mx.dest.test') })
    resolver.aaaa = async () => []
    resolver.a = async () => (asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.1'])
    await using relay = relayTo({}, { resolver, port: at.port })
    assert.equal((await deliver(relay)).result, 'delivered')
    assert.deepEqual(each(at.sinks, 'connections'), [0, 1])
    assert.equal(asked, 1)
  })

  test('of a name that is public and private at once only the public addresses are tried', async () => {
    const a = ['127.0.0.1', '8.8.8.8', '10.0.0.1']
    const resolver = new ZoneResolver({ 'mx.dest.test': { a, aaaa: ['::1', '2606:4700:4700::1111'] } })
    const found = await addressesOf(resolver, 'mx.dest.test', { family: 'any', allowPrivate: false })
    assert.deepEqual(found, ['2606:4700:4700::1111', '8.8.8.8'])
  })
})

describe('TLS that is offered and not to be had', () => {
  for (const next of ['hang up', 'reset'] as const)
    test(`mail goes in the clear where the server does this at the handshake: ${next}`, async () => {
      const act = (step: string) => (step === 'handshake' ? { next } : undefined)
      await using sink = await Sink.start({ tls: testCertificate, act })
      await using relay = relayTo({ 'dest.test': { a: ['127.0.0.1'] } }, { port: sink.port })
      assert.deepEqual(short([await deliver(relay)]), ['delivered 2.0.0'])
      assert.equal(sink.taken[0]?.tls, false)
    })

  test('input in the clear is not part of the secured session', async () => {
    const act = (step: string) => (step === 'starttls' ? '220 Go ahead\r\n250 injected' : undefined)
    await using sink = await Sink.start({ tls: testCertificate, act })
    await using relay = relayTo({ 'dest.test': { a: ['127.0.0.1'] } }, { port: sink.port })
    assert.deepEqual(short([await deliver(relay)]), ['deferred 4.5.0'])
    assert.deepEqual(sink.taken, [])
  })
})
