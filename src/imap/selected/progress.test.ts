import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '#/base/clock/manual.ts'
import type { Session } from '../session/session.ts'
import { Parser } from '../wire/parser.ts'
import { progress } from './progress.ts'

test('a client is told how much of a command is done after ten seconds, and every ten seconds then', async () => {
  const clock = new ManualClock()
  const told: string[] = []
  const output = { write: (piece: string | Buffer) => void told.push(String(piece)) }
  // Nothing else is looked at.
  const session = { parts: { clock }, output } as unknown as Session
  const command = { tag: 'a1', name: 'STORE', args: new Parser({ text: '', literals: [] }, true) }
  for (let done = 0; done < 30; done++) {
    await progress(session, command, done, done < 15 ? 30 : undefined)
    clock.advance(1_000)
  }
  assert.deepEqual(told, [
    '* OK [INPROGRESS ("a1" 10 30)] Still at work\r\n',
    '* OK [INPROGRESS ("a1" 20 NIL)] Still at work\r\n',
  ])
})
