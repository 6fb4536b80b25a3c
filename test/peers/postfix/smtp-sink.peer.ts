import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Limits, patience } from '#/adapters/relay/limits.ts'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import { letter, short } from '#test/conformance/relay/bench.ts'
import { startSink } from './smtp-sink.ts'

describe("Postfix's smtp-sink", () => {
  for (const [switches, expected, limits] of [
    [[], 'delivered 2.0.0'],
    [['-e'], 'delivered 2.0.0'],
    [['-p', '-8', '-E'], 'delivered 2.0.0'],
    [['-r', 'CONNECT'], 'deferred 4.3.0'],
    [['-f', 'CONNECT'], 'deferred 4.3.0'],
    [['-r', 'EHLO'], 'deferred 4.3.0'],
    [['-f', 'EHLO'], 'delivered 2.0.0'],
    [['-r', 'MAIL'], 'deferred 4.3.0'],
    [['-f', 'MAIL'], 'refused 5.3.0'],
    [['-r', 'RCPT'], 'deferred 4.3.0'],
    [['-f', 'RCPT', '-B', '550 5.1.1 Nobody'], 'refused 5.1.1'],
    [['-r', 'DATA'], 'deferred 4.3.0'],
    [['-f', 'DATA'], 'refused 5.3.0'],
    [['-r', '.'], 'deferred 4.3.0'],
    [['-f', '.'], 'refused 5.3.0'],
    [['-q', 'CONNECT'], 'deferred 4.4.2'],
    [['-q', 'EHLO'], 'deferred 4.4.2'],
    [['-q', 'MAIL'], 'deferred 4.4.2'],
    [['-q', 'RCPT'], 'deferred 4.4.2'],
    [['-q', 'DATA'], 'deferred 4.4.2'],
    [['-q', '.'], 'deferred 4.4.2 ambiguous'],
    [['-Q', 'MAIL'], 'deferred 4.0.0'],
    [['-Q', 'RCPT'], 'deferred 4.0.0'],
    [['-Q', '.'], 'deferred 4.0.0'],
    [['-W', '.:30'], 'deferred 4.4.2 ambiguous', { endOfData: 1_000 }],
    [['-w', '30'], 'deferred 4.4.2', { data: 1_000, envelope: 1_000 }],
    // Pipelined, it would answer DATA before RCPT.
    [['-p', '-W', 'RCPT:30'], 'deferred 4.4.2', { envelope: 1_000 }],
  ] as const satisfies [string[], string, Partial<Limits>?][])
    test(`${switches.join(' ') || 'without switches'}: ${expected}`, async () => {
      await using sink = await startSink(switches)
      const peer = { host: '127.0.0.1', address: '127.0.0.1', port: sink.port, tls: 'offered' } as const
      await using relay = new SmarthostRelay({ peer, name: 'us.example', limits: { ...patience, ...limits } })
      const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }
      const outcomes = await relay.deliver(delivery, new AbortController().signal)
      assert.deepEqual(short(outcomes), [expected])
    })

  test('a refusal during the message is read', async () => {
    await using sink = await startSink(['-A', '0'])
    const peer = { host: '127.0.0.1', address: '127.0.0.1', port: sink.port, tls: 'offered' } as const
    await using relay = new SmarthostRelay({ peer, name: 'us.example' })
    const usual = letter(`Subject: Large\r\n\r\n${'A line of some length.\r\n'.repeat(1_000_000)}`)
    const deliver = () => relay.deliver({ ...usual, beforeEndOfData: async () => {} }, new AbortController().signal)
    let outcomes = await deliver()
    // On a busy machine the connection may be reset before what came is read.
    while (short(outcomes)[0] === 'deferred 4.4.2') outcomes = await deliver()
    assert.match(short(outcomes)[0] ?? '', /^refused 5\./)
  })
})
