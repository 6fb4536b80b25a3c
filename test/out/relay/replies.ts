import assert from 'node:assert/strict'
import type { Act, Scene, Step } from '#test/world/sockets/sink.ts'
import { at, short, type TestIt } from './bench.ts'

/** The meaning of refusals and deferrals. */
export function tellsReplies(testIt: TestIt): void {
  for (const extensions of [['PIPELINING'], []]) {
    const way = extensions.length > 0 ? 'pipelined' : 'one by one'

    for (const [step, reply, expected] of [
      ['mail', '451 4.3.0 Later', 'deferred 4.3.0'],
      ['mail', '550 5.7.1 Not from you', 'refused 5.7.1'],
      ['mail', '553 No', 'refused 5.0.0'],
      ['rcpt', '450 4.2.1 Busy', 'deferred 4.2.1'],
      ['rcpt', '452 Full', 'deferred 4.0.0'],
      ['rcpt', '550 5.1.1 Nobody', 'refused 5.1.1'],
      ['rcpt', '552 5.2.2 Full', 'refused 5.2.2'],
      ['rcpt', '550 4.1.1 The code counts', 'refused 5.1.1'],
      ['rcpt', '450 5.1.1 The code counts', 'deferred 4.1.1'],
      ['data', '451 4.3.2 Later', 'deferred 4.3.2'],
      ['data', '554 5.5.0 No', 'refused 5.5.0'],
      ['end of data', '451 4.3.0 Later', 'deferred 4.3.0'],
      ['end of data', '552 5.3.4 Too large', 'refused 5.3.4'],
      ['end of data', '554-5.7.1 Looks like\r\n554 5.7.1 spam', 'refused 5.7.1'],
    ] as const)
      testIt(`${step} answered with ${JSON.stringify(reply)}, ${way}: ${expected}`, { extensions }, async (trial) => {
        trial.sink.act = at(step, reply)
        const [outcome] = await trial.deliver()
        assert.deepEqual(short(outcome ? [outcome] : []), [expected])
        assert.equal(outcome?.host, 'mx.dest.test')
        assert.equal(outcome?.reply, reply.replaceAll('\r\n554', '').replace('554-', '554 '))
        assert.equal(trial.ends.length, step === 'end of data' ? 1 : 0)
        assert.equal(trial.sink.taken.length, 0)
        // A refusal does not affect the next message on the connection.
        trial.sink.act = () => undefined
        assert.deepEqual(short(await trial.deliver()), ['delivered 2.0.0'])
        assert.equal(trial.sink.connections, 1)
      })

    testIt(`each recipient has its own outcome, ${way}`, { extensions, act: eachHisOwn }, async (trial) => {
      const recipients = ['later@dest.test', 'ada@dest.test', 'nobody@dest.test', 'bob@dest.test']
      const outcomes = await trial.deliver({ recipients })
      assert.deepEqual(short(outcomes), ['deferred 4.2.0', 'delivered 2.0.0', 'refused 5.1.1', 'delivered 2.0.0'])
      assert.deepEqual(trial.ends, [['ada@dest.test', 'bob@dest.test']])
      assert.deepEqual(trial.sink.taken[0]?.to, ['ada@dest.test', 'bob@dest.test'])
    })

    testIt(`who was not accepted has no part in what becomes of the message, ${way}`, { extensions }, async (trial) => {
      trial.sink.act = (step, scene) => (step === 'end of data' ? '554 5.6.0 Not this one' : eachHisOwn(step, scene))
      const recipients = ['later@dest.test', 'ada@dest.test', 'nobody@dest.test']
      const outcomes = await trial.deliver({ recipients })
      assert.deepEqual(short(outcomes), ['deferred 4.2.0', 'refused 5.6.0', 'refused 5.1.1'])
    })

    testIt(`no message is sent if every recipient was refused, ${way}`, { extensions }, async (trial) => {
      trial.sink.act = at('rcpt', '550 5.1.1 Nobody')
      const outcomes = await trial.deliver({ recipients: ['a@dest.test', 'b@dest.test'] })
      assert.deepEqual(short(outcomes), ['refused 5.1.1', 'refused 5.1.1'])
      assert.deepEqual(trial.ends, [])
    })

    testIt(`421 ends the session and defers who is left, ${way}`, { extensions }, async (trial) => {
      trial.sink.act = (_step, { recipient }) => {
        if (recipient === 'nobody@dest.test') return '550 5.1.1 Nobody'
        return recipient === 'bob@dest.test' ? { reply: '421 4.3.2 Down for the night', next: 'hang up' } : undefined
      }
      const recipients = ['ada@dest.test', 'nobody@dest.test', 'bob@dest.test', 'cy@dest.test']
      const outcomes = await trial.deliver({ recipients })
      assert.deepEqual(short(outcomes), ['deferred 4.3.2', 'refused 5.1.1', 'deferred 4.3.2', 'deferred 4.3.2'])
      assert.equal(outcomes[0]?.reply, '421 4.3.2 Down for the night')
      assert.deepEqual(trial.ends, [])
    })
  }

  testIt('a server that waits for a message to nobody gets none', { act: waitsForNothing }, async (trial) => {
    assert.deepEqual(short(await trial.deliver()), ['refused 5.1.1'])
    await trial.sink.until(({ open }) => open === 0)
    assert.deepEqual([trial.ends, trial.sink.taken], [[], []])
  })

  for (const [reply, expected] of [
    ['552 Too many recipients', 'deferred 4.5.3'],
    ['552 5.5.3 Too many recipients', 'deferred 4.5.3'],
    ['452 4.5.3 Too many recipients', 'deferred 4.5.3'],
    ['552 5.2.2 Over quota', 'refused 5.2.2'],
  ] as const)
    testIt(`the second recipient answered with ${JSON.stringify(reply)}: ${expected}`, {}, async (trial) => {
      trial.sink.act = (step, { to }) => (step === 'rcpt' && to.length === 1 ? reply : undefined)
      const outcomes = await trial.deliver({ recipients: ['ada@dest.test', 'bob@dest.test'] })
      assert.deepEqual(short(outcomes), ['delivered 2.0.0', expected])
    })
}

function eachHisOwn(step: Step, { recipient }: Scene): Act | undefined {
  if (step !== 'rcpt') return undefined
  if (recipient === 'later@dest.test') return '450 4.2.0 Later'
  return recipient === 'nobody@dest.test' ? '550 5.1.1 Nobody' : undefined
}

function waitsForNothing(step: Step): Act | undefined {
  return step === 'rcpt' ? '550 5.1.1 Nobody' : step === 'data' ? '354 Go on' : undefined
}
