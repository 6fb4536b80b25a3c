import assert from 'node:assert/strict'
import { each } from '#test/world/each.ts'
import type { Act } from '#test/world/sockets/sink.ts'
import { letter, short, type TestIt } from './bench.ts'

/** End of data is sent only once the caller has recorded it; a message is delivered only once the server has replied. */
export function holdsTheDot(testIt: TestIt): void {
  testIt('before the end of data the server has the whole message but its end', {}, async ({ deliver, sink }) => {
    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    let arrived = 0
    sink.act = (step) => {
      if (step === 'content') arrived += 1
      return undefined
    }
    const delivered = deliver({
      beforeEndOfData: () => {
        reached.resolve()
        return held.promise
      },
    })
    await reached.promise
    await sink.until(() => arrived > 0)
    assert.equal(sink.taken.length, 0)
    held.resolve()
    assert.deepEqual(short(await delivered), ['delivered 2.0.0'])
  })

  testIt('if the caller refuses the end of data nothing is sent', {}, async ({ deliver, sink }) => {
    const beforeEndOfData = () => Promise.reject(new Error('not ours any more'))
    await assert.rejects(deliver({ beforeEndOfData }), /not ours any more/)
    await sink.until(({ open }) => open === 0)
    assert.deepEqual(sink.taken, [])
    assert.deepEqual(short(await deliver()), ['delivered 2.0.0'])
  })

  testIt('where the content cannot be read nothing is sent', {}, async ({ deliver, sink, ends }) => {
    const content = async function* () {
      yield Buffer.from('Subject: Half\r\n\r\n')
      throw new Error('unreadable')
    }
    await assert.rejects(deliver({ content }), /unreadable/)
    await sink.until(({ open }) => open === 0)
    assert.deepEqual([sink.taken, ends], [[], []])
  })

  for (const text of ['one\ntwo\r\n', 'one\rtwo\r\n', 'one\r\n\r', '\n', 'x\n.\r\ny\r\n', 'x\r.\r\ny\r\n'])
    testIt(`${JSON.stringify(text)} is not sent: it holds a CR or an LF alone`, {}, async (trial) => {
      for (const pieces of [[Buffer.from(text)], [...text].map((octet) => Buffer.from(octet))]) {
        const content = async function* () {
          yield* pieces
        }
        assert.deepEqual(short(await trial.deliver({ ...letter(text), content })), ['refused 5.6.0'])
      }
      await trial.sink.until(({ open }) => open === 0)
      assert.deepEqual([trial.sink.taken, trial.ends], [[], []])
    })

  testIt('a connection that breaks before the end of data has sent nothing', {}, async ({ deliver, sink }) => {
    const beforeEndOfData = async () => {
      await sink[Symbol.asyncDispose]()
    }
    assert.deepEqual(short(await deliver({ beforeEndOfData })), ['deferred 4.4.2'])
    assert.deepEqual(sink.taken, [])
  })

  for (const [what, reply, expected] of [
    ['taken', '250 2.0.0 Taken', 'deferred 4.5.0'],
    ['refused', '552 5.3.4 Too large', 'refused 5.3.4'],
    ['deferred', '421 4.3.2 Later', 'deferred 4.3.2'],
  ] as const)
    testIt(`a message that is ${what} before its end is not ended`, {}, async ({ deliver, sink, ends }) => {
      const said = Promise.withResolvers<void>()
      sink.act = (step) => {
        if (step !== 'content') return undefined
        said.resolve()
        return reply
      }
      const content = async function* () {
        yield Buffer.from('Subject: Hello\r\n\r\n')
        await said.promise
        // The reply is on its way: the next pieces meet it.
        for (;;) {
          yield Buffer.from('and on\r\n')
          await new Promise(setImmediate)
        }
      }
      assert.deepEqual(short(await deliver({ content })), [expected])
      assert.deepEqual([ends, sink.taken], [[], []])
    })

  for (const [what, act] of [
    ['the connection ends', { next: 'hang up', keep: true }],
    ['the connection is cut', { next: 'reset', keep: true }],
    ['nothing is said', { next: 'stall', keep: true }],
    ['something is said that is no reply', { reply: 'Thanks!', keep: true }],
    ['a reply is said that makes no sense', { reply: '354 Go on', keep: true }],
    ['half a reply is said', { reply: '250-2.0.0 Ta', next: 'hang up', keep: true }],
  ] as const satisfies [string, Act][])
    testIt(
      `after the end of data ${what}: delivery is ambiguous`,
      { limits: { endOfData: 200 } },
      async ({ deliver, sink, ends }) => {
        sink.act = (step, { recipient }) =>
          step === 'end of data' ? act : recipient === 'nobody@dest.test' ? '550 5.1.1 Nobody' : undefined
        const outcomes = await deliver({ recipients: ['ada@dest.test', 'nobody@dest.test', 'bob@dest.test'] })
        assert.deepEqual(each(outcomes, 'result', 'ambiguous'), [
          ['deferred', true],
          ['refused', false],
          ['deferred', true],
        ])
        assert.match(outcomes[0]?.reason ?? '', /the message may or may not have been delivered$/)
        assert.equal(sink.taken.length, 1)
        assert.equal(ends.length, 1)
      },
    )

  testIt('421 to the end of data is a reply', {}, async ({ deliver, sink }) => {
    sink.act = (step) => (step === 'end of data' ? { reply: '421 4.3.2 Later', next: 'hang up' } : undefined)
    assert.deepEqual(short(await deliver()), ['deferred 4.3.2'])
  })
}
