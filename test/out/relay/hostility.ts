import assert from 'node:assert/strict'
import type { Step } from '#test/world/sockets/sink.ts'
import { short, type TestIt } from './bench.ts'

/** Hostile servers. */
export function outlivesHostility(testIt: TestIt): void {
  const megabytes = 'x'.repeat(10 * 2 ** 20)
  for (const step of ['greeting', 'ehlo', 'mail', 'rcpt', 'data'] as const)
    for (const [what, reply] of [
      ['a line of 10 MB', `220 ${megabytes}`],
      ['a reply of 10 MB in short lines', '250-on and on\r\n'.repeat(700_000)],
      ['a line without a code', 'Hello there'],
      ['a code that there is not', '999 No'],
      ['a code too long', '2500 Ok'],
      ['several codes in one reply', '250-Ok\r\n550 No'],
      ['an empty line', ''],
      ['octets that are no text', '\x00\xff\xfe'],
    ] as const)
      testIt(`${what} as the reply to ${step}`, {}, async ({ deliver, sink, ends }) => {
        sink.act = (at: Step) => (at === step ? { reply } : undefined)
        assert.deepEqual(short(await deliver()), ['deferred 4.5.0'])
        assert.deepEqual([sink.taken, ends], [[], []])
      })

  testIt('a reply is one line that can be shown', {}, async ({ deliver, sink }) => {
    sink.act = (step) => (step === 'rcpt' ? '550-5.1.1 No\x1b[31m\0\r\n550 \u202espam\u2028\x85 Ä 漢' : undefined)
    const [outcome] = await deliver()
    assert.equal(outcome?.reply, '550 5.1.1 No\\u{1b}[31m\\u{0} \\u{202e}spam\\u{2028}\\u{85} Ä 漢')
  })

  testIt('a reply is kept in part where it is long', {}, async ({ deliver, sink }) => {
    sink.act = (step) => (step === 'end of data' ? `554-5.7.1 ${'y'.repeat(2000)}\r\n554 5.7.1 end` : undefined)
    const [outcome] = await deliver()
    assert.equal(outcome?.result, 'refused')
    assert.equal(outcome?.reply?.length, 500)
    assert.match(outcome?.reply ?? '', /^554 5\.7\.1 y+…$/)
  })

  testIt('replies before their commands do not count', {}, async ({ deliver, sink, ends }) => {
    // A reply that came before its command is not believed.
    sink.act = (step) => (step === 'ehlo' ? '250 sink.example\r\n250 Ok\r\n250 Ok\r\n354 Go on\r\n250 Ok' : undefined)
    assert.deepEqual(short(await deliver()), ['deferred 4.5.0'])
    assert.deepEqual([sink.taken, ends], [[], []])
  })
}
