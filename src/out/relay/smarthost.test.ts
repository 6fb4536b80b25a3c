import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { letter, short } from '#test/out/relay/bench.ts'
import { relayConformance } from '#test/out/relay/index.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { type Act, Sink, type SinkOptions } from '#test/world/sockets/sink.ts'
import { SmarthostRelay } from './smarthost.ts'
import type { Peer } from './smtp-client/smtp-client.ts'

relayConformance('a smarthost', (sink, settings) => {
  const peer = { host: 'mx.dest.test', address: '127.0.0.1', port: sink.port, tls: 'offered' } as const
  return new SmarthostRelay({ peer, name: 'us.example', ...settings })
})

const login = { user: 'ann', password: 'pä55 wörd"' }
const ours = certificateFor('relay.test')
const others = certificateFor('other.test')
const expired = certificateFor('relay.test', { until: '20210101000000Z' })
const at = (wanted: string, reply: Act) => (step: string) => (step === wanted ? reply : undefined)
const required = { tls: 'required', ca: ours.cert } as const
const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }

/** What one message comes to with a relay that is set so. */
async function attempt(options: SinkOptions, peer: Partial<Peer>) {
  await using sink = await Sink.start(options)
  const endpoint = { host: 'relay.test', address: '127.0.0.1', port: sink.port, tls: 'offered' as const }
  await using relay = new SmarthostRelay({ peer: { ...endpoint, ...peer }, name: 'us.example' })
  const [outcome] = await relay.deliver(delivery, new AbortController().signal)
  assert.ok(outcome)
  return { outcome, expectation: short([outcome])[0], taken: sink.taken, lines: sink.lines }
}

describe('TLS to a relay', () => {
  for (const [what, options, peer, expected] of [
    ['required and offered', { tls: ours }, required, 'delivered 2.0.0'],
    ['required and not offered', {}, { tls: 'required' }, 'deferred 4.7.4'],
    ['required, not to be had', { tls: ours, act: at('starttls', '454 4.7.0 No') }, required, 'deferred 4.7.4'],
    ['required, from a maker who is not trusted', { tls: ours }, { tls: 'required' }, 'deferred 4.7.5'],
    ['required, for another name', { tls: others }, { tls: 'required', ca: others.cert }, 'deferred 4.7.5'],
    ['required, and run out', { tls: expired }, { tls: 'required', ca: expired.cert }, 'deferred 4.7.5'],
    ['from the start', { tls: { ...ours, implicit: true } }, { tls: 'implicit', ca: ours.cert }, 'delivered 2.0.0'],
    ['so for another', { tls: { ...others, implicit: true } }, { tls: 'implicit', ca: others.cert }, 'deferred 4.7.5'],
    ['offered, not trusted, and not required', { tls: others }, { tls: 'offered' }, 'delivered 2.0.0'],
  ] as const satisfies [string, SinkOptions, Partial<Peer>, string][])
    test(`${what}: ${expected}`, async () => {
      const { expectation, taken, lines, outcome } = await attempt(options, peer)
      assert.equal(expectation, expected)
      assert.doesNotMatch(outcome.reason, /node/i)
      if (taken[0]) assert.equal(taken[0].tls, true)
      else assert.ok(!lines.some((line) => line.startsWith('MAIL')))
    })

  for (const next of ['hang up', 'reset'] as const)
    test(`offered, which fails at the handshake (${next}): delivered in the clear`, async () => {
      const { expectation, taken } = await attempt({ tls: ours, act: at('handshake', { next }) }, { tls: 'offered' })
      assert.deepEqual([expectation, taken[0]?.tls], ['delivered 2.0.0', false])
    })

  test('not wanted is not used', async () => {
    const { taken } = await attempt({ tls: ours }, { tls: 'never' })
    assert.equal(taken[0]?.tls, false)
  })
})

describe('logging in to a relay', () => {
  for (const mechanism of ['PLAIN', 'LOGIN'] as const)
    test(`works by ${mechanism}`, async () => {
      const { expectation } = await attempt({ login: { ...login, mechanism } }, { login })
      assert.equal(expectation, 'delivered 2.0.0')
    })

  for (const method of ['PLAIN', 'LOGIN'])
    test(`works by ${method} with a server that others wrote`, async () => {
      const seen: unknown[] = []
      const server = new SMTPServer({
        ...{ cert: ours.cert, key: ours.key, authMethods: [method] },
        onAuth: ({ username, password }, _session, done) => {
          seen.push({ user: username, password })
          done(null, { user: username })
        },
        onData: (stream, _session, done) => stream.resume().once('end', done),
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.server.address() as AddressInfo
      const peer = { ...required, host: 'relay.test', address: '127.0.0.1', port, login }
      const relay = new SmarthostRelay({ peer, name: 'us.example' })
      assert.deepEqual(short(await relay.deliver(delivery, new AbortController().signal)), ['delivered 2.0.0'])
      await relay[Symbol.asyncDispose]()
      await new Promise<void>((resolve) => server.close(resolve))
      assert.deepEqual(seen, [login])
    })

  test('never happens in the clear where TLS is required', async () => {
    const { expectation, lines } = await attempt({ login }, { login, tls: 'required' })
    assert.equal(expectation, 'deferred 4.7.4')
    assert.ok(!lines.some((line) => line.startsWith('AUTH')))
  })

  test('with a wrong password defers: it is ours to set right', async () => {
    const { outcome, expectation } = await attempt({ login }, { login: { ...login, password: 'wrong' } })
    const reason = 'relay.test refused our login'
    assert.deepEqual([expectation, outcome.reply, outcome.reason], ['deferred 4.7.8', '535 5.7.8 Who are you?', reason])
  })

  test('where there is no way to defers', async () =>
    assert.equal((await attempt({}, { login })).expectation, 'deferred 4.7.4'))

  test('never shows the password, whatever the server makes of it', async () => {
    const plain = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64')
    const reply = `535 5.7.8 ${login.password} ${plain} ${Buffer.from(login.password).toString('base64')}`
    const { outcome } = await attempt({ login, act: at('auth', reply) }, { login })
    assert.equal(outcome.reply, '535 5.7.8 *** *** ***')
  })
})

test('a relay that replaces the Message-ID of what it accepts is asked for the new one, and not of what it refuses', async () => {
  for (const [code, expected] of [
    ['250 2.0.0', '<1@a.prod.outlook.com>'],
    ['550 5.7.0', undefined],
  ] as const) {
    const reply = `${code} OK <1@a.PROD.outlook.com> [Hostname=a]`
    const { outcome } = await attempt({ act: at('end of data', reply) }, {})
    assert.equal(outcome.givenId, expected)
  }
})

describe('a relay that turns us away', () => {
  for (const [step, reply, expected] of [
    ['greeting', '554 5.7.1 Not you', 'deferred 4.7.1'],
    ['greeting', '421 4.3.2 Busy', 'deferred 4.3.2'],
    ['ehlo', '421 4.7.0 Too often', 'deferred 4.7.0'],
    ['auth', '454 4.7.0 Not now', 'deferred 4.7.0'],
  ] as const)
    test(`at ${step} with ${reply} says nothing of the message: ${expected}`, async () => {
      const { outcome, expectation } = await attempt({ login, act: at(step, reply) }, { login })
      assert.equal(expectation, expected)
      assert.deepEqual([outcome.reply, outcome.host], [reply, 'relay.test'])
    })

  test('by not being there: deferred, in plain words', async () => {
    const { outcome, expectation } = await attempt({}, { port: await freePort() })
    const reason = 'relay.test could not be reached: connection refused'
    assert.deepEqual([expectation, outcome.reason, outcome.host], ['deferred 4.4.1', reason, null])
  })
})
