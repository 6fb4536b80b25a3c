import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { Step } from '#test/world/sockets/sink.ts'
import type { Limits } from '../../../src/out/relay/limits.ts'
import { short, type TestIt } from './bench.ts'

const steps: readonly (readonly [Step, keyof Limits])[] = [
  ['connect', 'greeting'],
  ['greeting', 'greeting'],
  ['ehlo', 'hello'],
  ['mail', 'envelope'],
  ['rcpt', 'envelope'],
  ['data', 'data'],
  ['content', 'block'],
]

/** Deliveries that either side breaks off. */
export function breaksOff(testIt: TestIt): void {
  for (const [step, limit] of steps) {
    for (const next of ['hang up', 'reset', 'stall'] as const)
      testIt(
        `a server that does this at ${step}: ${next}`,
        { act: (at) => (at === step ? { next } : undefined), limits: { [limit]: 200 } },
        async ({ deliver, sink, ends }) => {
          const [outcome, ...others] = await deliver(step === 'content' ? { content: endless } : {})
          assert.equal(others.length, 0)
          assert.equal(outcome?.result, 'deferred')
          assert.match(outcome?.status ?? '', /^4\.4\.[12]$/)
          assert.match(outcome?.reason ?? '', /mx\.dest\.test/)
          assert.equal(outcome?.reply, null)
          assert.equal(outcome?.ambiguous, false)
          assert.deepEqual([sink.taken, ends], [[], []])
        },
      )

    testIt(
      `the caller stops it while the server is silent at ${step}`,
      { act: (at) => (at === step ? { next: 'stall' } : undefined) },
      async ({ deliver, sink, ends }) => {
        const controller = new AbortController()
        const reached = Promise.withResolvers<void>()
        const stalling = sink.act
        sink.act = (at, scene) => {
          if (at === step) reached.resolve()
          return stalling(at, scene)
        }
        const delivered = deliver(step === 'content' ? { content: endless } : {}, controller.signal)
        await reached.promise
        controller.abort()
        assert.deepEqual(short(await delivered), ['deferred 4.3.2'])
        assert.deepEqual([sink.taken, ends], [[], []])
      },
    )
  }

  testIt('nobody is called once the caller has stopped it', {}, async ({ deliver, sink }) => {
    assert.deepEqual(short(await deliver({}, AbortSignal.abort())), ['deferred 4.3.2'])
    assert.equal(sink.connections, 0)
  })

  testIt('the caller stops it after the end of data: delivery is ambiguous', {}, async ({ deliver, sink }) => {
    const controller = new AbortController()
    sink.act = (step) => {
      if (step !== 'end of data') return undefined
      controller.abort()
      return { next: 'stall', keep: true }
    }
    assert.deepEqual(short(await deliver({}, controller.signal)), ['deferred 4.3.2 ambiguous'])
  })

  testIt('the caller stops it before the end of data: nothing is sent', {}, async ({ deliver, sink }) => {
    const controller = new AbortController()
    const beforeEndOfData = async () => controller.abort()
    assert.deepEqual(short(await deliver({ beforeEndOfData }, controller.signal)), ['deferred 4.3.2'])
    await sink.until(({ open }) => open === 0)
    assert.deepEqual(sink.taken, [])
  })

  testIt('a server that keeps us going for ever is left', { limits: { whole: 300 } }, async ({ deliver, sink }) => {
    const content = async function* () {
      for (;;) {
        yield Buffer.from('and on\r\n')
        await new Promise(setImmediate)
      }
    }
    assert.deepEqual(short(await deliver({ content })), ['deferred 4.4.7'])
    assert.deepEqual(sink.taken, [])
  })

  const whole = 300_000
  testIt(
    'it waits for a reply that is slow after the end of data',
    { limits: { whole } },
    async ({ deliver, sink }) => {
      let ended = false
      sink.act = (step) => {
        if (step !== 'end of data') return undefined
        ended = true
        return { next: 'stall' }
      }
      mock.timers.enable({ apis: ['setTimeout'] })
      try {
        const controller = new AbortController()
        const delivered = deliver({}, controller.signal)
        await sink.until(() => ended)
        mock.timers.tick(whole)
        controller.abort()
        assert.deepEqual(short(await delivered), ['deferred 4.3.2 ambiguous'])
      } finally {
        mock.timers.reset()
      }
    },
  )
}

async function* endless(): AsyncGenerator<Buffer> {
  const piece = Buffer.from(`${'x'.repeat(76)}\r\n`.repeat(10_000))
  for (;;) {
    yield piece
    await new Promise(setImmediate)
  }
}
