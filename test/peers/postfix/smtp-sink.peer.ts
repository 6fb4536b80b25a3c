import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { type Limits, patience } from '#/out/relay/limits.ts'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { letter, short } from '#test/out/relay/bench.ts'
import { untilAnswers } from '#test/world/sockets/answers.ts'
import { freePort } from '#test/world/sockets/free-port.ts'

const program = '/usr/sbin/smtp-sink'
if (!existsSync(program)) throw new Error(`There is no smtp-sink at ${program}: apt-get install postfix`)

for (const [switches, expected, limits] of [
  [[], 'delivered 2.0.0'],
  [['-e'], 'delivered 2.0.0'],
  [['-p', '-8', '-E'], 'delivered 2.0.0'],
  [['-f', 'EHLO'], 'delivered 2.0.0'],
  [['-f', 'RCPT', '-B', '550 5.1.1 Nobody'], 'refused 5.1.1'],
  [['-r', '.'], 'deferred 4.3.0'],
  [['-q', '.'], 'deferred 4.4.2 ambiguous'],
  [['-Q', 'MAIL'], 'deferred 4.0.0'],
  // Pipelined, it would answer DATA before RCPT.
  [['-p', '-W', 'RCPT:30'], 'deferred 4.4.2', { envelope: 1_000 }],
] as const satisfies [string[], string, Partial<Limits>?][])
  test(`Postfix's smtp-sink ${switches.join(' ') || 'without switches'}: ${expected}`, async () => {
    const port = await freePort()
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    const sink = spawn(program, [...user, ...switches, `127.0.0.1:${port}`, '100'], { stdio: 'ignore' })
    await untilAnswers(port, sink)
    const peer = { host: '127.0.0.1', address: '127.0.0.1', port, tls: 'offered' } as const
    await using relay = new SmarthostRelay({ peer, name: 'us.example', limits: { ...patience, ...limits } })
    const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }
    const outcomes = await relay.deliver(delivery, new AbortController().signal)
    sink.kill()
    await once(sink, 'exit')
    assert.deepEqual(short(outcomes), [expected])
  })
