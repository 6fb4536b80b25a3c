import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import type { Delivery } from '#/out/relay/relay.ts'
import { letter, short } from '#test/out/relay/bench.ts'
import { type Act, Sink, type Step } from '#test/world/sockets/sink.ts'
import { type DirectMxOptions, DirectMxRelay } from './direct-mx.ts'

const recipients = ['ada@dest.test', 'bob@dest.test']
const bothFamilies = { aaaa: ['::1'], a: ['127.0.0.1'] }

/** A host of two families, of which that of IPv6 acts so, and what comes of a message for two. */
async function attempt(
  act: (step: Step, recipient: string) => Act | undefined,
  options: Partial<DirectMxOptions> = {},
  records: ZoneRecords = bothFamilies,
  given: Partial<Delivery> = {},
) {
  await using v4 = await Sink.start()
  await using v6 = await Sink.start({ host: '::1', port: v4.port, act: (step, { recipient }) => act(step, recipient) })
  const resolver = new ZoneResolver({ 'dest.test': records })
  await using relay = new DirectMxRelay({
    ...{ resolver, clock: new ManualClock(new Date()), name: 'us.example', log: pino({ level: 'silent' }) },
    ...{ allowPrivate: true, port: v4.port, ...options },
  })
  const ends: (readonly string[])[] = []
  const usual = { recipients, beforeEndOfData: async (accepted: readonly string[]) => void ends.push(accepted) }
  const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), ...usual, ...given }
  const outcomes = await relay.deliver(delivery, new AbortController().signal)
  return { outcomes: short(outcomes), v4, v6, ends }
}

const to = (sink: Sink) => sink.taken.map((taken) => taken.to)
const delivered = ['delivered 2.0.0', 'delivered 2.0.0']
const unnamed = '550 5.7.25 The sending address has no PTR record'
const at = (wanted: Step, reply: Act) => (step: Step) => (step === wanted ? reply : undefined)
const bobAlone = (step: Step, to: string) => (step === 'rcpt' && to === 'bob@dest.test' ? unnamed : undefined)

describe('a refusal of this machine by its IPv6 address', () => {
  for (const [step, reply] of [
    ['end of data', '550-5.7.1 [2001:db8::1] This message breaks our IPv6 sending rules\r\n550 5.7.1 about PTR'],
    ['end of data', '554 5.7.25 Who are you?'],
    ['mail', '550 5.7.1 Client rejected: cannot find your reverse hostname, [2001:db8::1]'],
    ['mail', '421 4.7.0 Your address has no rDNS'],
    ['rcpt', '450 4.7.1 Client rejected: cannot find your hostname'],
    ['rcpt', '554 Fix your reverse DNS first'],
    ['data', '554 5.7.1 We take no mail over IPv6'],
  ] as const)
    test(`leads to IPv4, at ${step}: ${reply}`, async () => {
      const { outcomes, v4 } = await attempt(at(step, reply))
      assert.deepEqual(outcomes, delivered)
      assert.deepEqual(to(v4), [recipients])
    })

  test('concerns those alone who were refused so: nobody gets the message twice', async () => {
    const { outcomes, v4, v6, ends } = await attempt(bobAlone)
    assert.deepEqual(outcomes, delivered)
    assert.deepEqual([to(v6), to(v4)], [[['ada@dest.test']], [['bob@dest.test']]])
    assert.deepEqual(ends, [['ada@dest.test'], ['bob@dest.test']], 'each end of data is announced')
  })

  test('waits where the second delivery cannot be made: who has the message is not sent it again', async () => {
    let ends = 0
    const beforeEndOfData = async () => {
      if (++ends === 2) throw new Error('no database')
    }
    const { outcomes, v4, v6 } = await attempt(bobAlone, {}, bothFamilies, { beforeEndOfData })
    assert.deepEqual(outcomes, ['delivered 2.0.0', 'deferred 4.7.25'])
    assert.deepEqual([to(v6), to(v4)], [[['ada@dest.test']], []])
  })

  for (const [what, act, expected] of [
    ['another refusal', at('rcpt', '550 5.1.1 Nobody here'), 'refused 5.1.1'],
    ['another path', at('mail', '550 5.1.7 Bad reverse-path'), 'refused 5.1.7'],
    [
      'no answer to the end of data, after which the message may have arrived',
      at('end of data', { next: 'hang up' }),
      'deferred 4.4.2 ambiguous',
    ],
  ] as const)
    test(`is not ${what}`, async () => {
      const { outcomes, v4 } = await attempt(act)
      assert.deepEqual(outcomes, [expected, expected])
      assert.equal(v4.connections, 0)
    })

  test('counts where the host has no IPv4 address', async () => {
    const { outcomes, ends } = await attempt(at('end of data', unnamed), {}, { aaaa: ['::1'] })
    assert.deepEqual([outcomes, ends], [['refused 5.7.25', 'refused 5.7.25'], [recipients]])
  })

  test('counts where mail leaves by IPv6 alone', async () => {
    const source = { family: 6, ipv4: undefined, ipv6: undefined } as const
    const { outcomes, v4 } = await attempt(at('rcpt', unnamed), { source })
    assert.deepEqual([outcomes, v4.connections], [['refused 5.7.25', 'refused 5.7.25'], 0])
  })

  test('waits where IPv4 does not answer now', async () => {
    const { outcomes } = await attempt(at('rcpt', unnamed), {}, { aaaa: ['::1'], a: ['127.0.0.2'] })
    assert.deepEqual(outcomes, ['deferred 4.4.1', 'deferred 4.4.1'])
  })

  test('is answered once: a refusal over IPv4 in the same words stands', async () => {
    await using sinks = new AsyncDisposableStack()
    const act = at('rcpt', unnamed)
    const v4 = sinks.use(await Sink.start({ act }))
    const v6 = sinks.use(await Sink.start({ host: '::1', port: v4.port, act }))
    const resolver = new ZoneResolver({ 'dest.test': bothFamilies })
    const given = { resolver, clock: new ManualClock(new Date()), name: 'us.example', log: pino({ level: 'silent' }) }
    await using relay = new DirectMxRelay({ ...given, allowPrivate: true, port: v4.port })
    const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }
    assert.deepEqual(short(await relay.deliver(delivery, new AbortController().signal)), ['refused 5.7.25'])
    assert.deepEqual([v6.connections, v4.connections], [1, 1])
  })
})

test('mail leaves by the family that is set, and no other host is sought than one of it', async () => {
  for (const [family, expected, connections] of [
    ['any', delivered, [1, 0]],
    [6, delivered, [1, 0]],
    [4, delivered, [0, 1]],
  ] as const) {
    const source = { family, ipv4: undefined, ipv6: undefined }
    const { outcomes, v4, v6 } = await attempt(() => undefined, { source })
    assert.deepEqual([outcomes, [v6.connections, v4.connections]], [expected, connections])
  }
  const source = { family: 4, ipv4: undefined, ipv6: undefined } as const
  const { outcomes } = await attempt(() => undefined, { source }, { aaaa: ['::1'] })
  assert.deepEqual(outcomes, ['refused 5.4.4', 'refused 5.4.4'])
})
