import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { short, type TestIt } from './bench.ts'

/** Connections are reused, and leave nothing behind. */
export function keepsConnections(testIt: TestIt): void {
  testIt('messages follow one another on a connection', {}, async ({ deliver, sink }) => {
    for (let n = 0; n < 5; n++) assert.deepEqual(short(await deliver()), ['delivered 2.0.0'])
    assert.deepEqual([sink.taken.length, sink.connections], [5, 1])
  })

  testIt('a connection is given up after a hundred messages', {}, async ({ deliver, sink }) => {
    for (let n = 0; n < 101; n++) await deliver()
    assert.deepEqual([sink.taken.length, sink.connections], [101, 2])
    assert.ok(sink.lines.includes('QUIT'))
  })

  for (const next of ['hang up', 'reset'] as const)
    testIt(`a server that does this to an idle connection costs nothing: ${next}`, {}, async ({ deliver, sink }) => {
      sink.act = (step) => (step === 'end of data' ? { reply: '250 2.0.0 Taken', next } : undefined)
      for (let n = 0; n < 5; n++) assert.deepEqual(short(await deliver()), ['delivered 2.0.0'])
      assert.equal(sink.taken.length, 5)
    })

  testIt('a connection that turns out to be closing is replaced by another', {}, async ({ deliver, sink, ends }) => {
    assert.deepEqual(short(await deliver()), ['delivered 2.0.0'])
    sink.act = (step, { connection }) =>
      step === 'mail' && connection === 1 ? { reply: '421 4.3.2 Idle for too long', next: 'hang up' } : undefined
    assert.deepEqual(short(await deliver()), ['delivered 2.0.0'])
    assert.deepEqual([sink.taken.length, sink.connections, ends.length], [2, 2, 2])
  })

  testIt('a new connection that ends at MAIL is not replaced', {}, async ({ deliver, sink }) => {
    sink.act = (step) => (step === 'mail' ? { next: 'hang up' } : undefined)
    assert.deepEqual(short(await deliver()), ['deferred 4.4.2'])
    assert.equal(sink.connections, 1)
  })

  testIt('there are never more connections than allowed, and all that wait are served', { most: 3 }, async (trial) => {
    let most = 0
    trial.sink.act = () => {
      most = Math.max(most, trial.sink.open)
      return undefined
    }
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => trial.deliver()))
    assert.deepEqual(new Set(outcomes.flatMap(short)), new Set(['delivered 2.0.0']))
    assert.deepEqual([trial.sink.taken.length, most], [50, 3])
  })

  testIt('who waits for a connection can be stopped', { most: 1 }, async ({ deliver, sink }) => {
    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const beforeEndOfData = () => {
      reached.resolve()
      return held.promise
    }
    const first = deliver({ beforeEndOfData })
    await reached.promise
    const controller = new AbortController()
    const [second, third] = [deliver({}, controller.signal), deliver()]
    controller.abort()
    assert.deepEqual(short(await second), ['deferred 4.3.2'])
    held.resolve()
    assert.deepEqual([short(await first), short(await third)], [['delivered 2.0.0'], ['delivered 2.0.0']])
    assert.equal(sink.connections, 1)
  })

  testIt('a thousand deliveries, good and bad, leave nothing behind', {}, async ({ relay, deliver, sink }) => {
    const ends = ['hang up', 'reset'] as const
    let count = 0
    sink.act = (step) => {
      count += 1
      if (step === 'quit') return undefined
      if (step === 'rcpt' && count % 7 === 0) return '550 5.1.1 Nobody'
      if (step === 'data' && count % 11 === 0) return '451 4.3.0 Later'
      return count % 13 === 0 ? { next: ends[count % 2] ?? 'reset' } : undefined
    }
    const before = resources()
    const { signal } = new AbortController()
    let left = 1000
    const worker = async () => {
      while (left-- > 0) assert.equal((await deliver({}, signal)).length, 1)
    }
    await Promise.all(Array.from({ length: 10 }, worker))
    await relay[Symbol.asyncDispose]()
    await sink.until(({ open }) => open === 0)
    await new Promise(setImmediate)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
    for (const [kind, count] of Object.entries(resources())) assert.ok(count <= (before[kind] ?? 0), `${count} ${kind}`)
  })
}

/** What keeps the process alive, by kind. */
function resources(): Record<string, number> {
  const counts = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind)
  return Object.fromEntries(
    ['TCPSocketWrap', 'TLSWrap', 'Timeout', 'TCPConnectWrap'].map((kind) => [kind, counts[kind]?.length ?? 0]),
  )
}
