import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Data, readResponse } from '../client/response.ts'
import { SelectedFolder } from './selected-folder.ts'

function folderThatHeard(...said: readonly string[]): SelectedFolder {
  const folder = new SelectedFolder('INBOX')
  for (const line of said) folder.notice(readResponse(Buffer.from(`* ${line}`)) as Data)
  return folder
}

test('what is said of flags is noted with the last word on each and the highest MODSEQ, but for messages not read yet', () => {
  const folder = folderThatHeard(
    '2 FETCH (UID 12 MODSEQ (31) FLAGS (\\Seen))',
    '3 FETCH (FLAGS (\\Flagged) UID 13 MODSEQ (29))',
    '2 FETCH (UID 12 FLAGS () MODSEQ (30))',
    '9 FETCH (UID 19 FLAGS (\\seen) MODSEQ (28))',
  )
  const flags = new Map([
    [12, false],
    [13, false],
  ])
  assert.equal(folder.touched, true)
  assert.deepEqual(folder.drainNoted(19), { flags, gone: [], modseq: 31 })
  assert.equal(folder.touched, false)
  assert.deepEqual(folder.drainNoted(20), { flags: new Map(), gone: [], modseq: 0 })
})

const whole = '1 FETCH (UID 1 FLAGS () MODSEQ (5))'
for (const [what, said] of [
  ['by a place alone', ['2 FETCH (FLAGS () MODSEQ (6))', whole]],
  ['without MODSEQ', [whole, '2 FETCH (UID 2 FLAGS ())']],
  ['without the flags', ['2 FETCH (UID 2 MODSEQ (6))', whole]],
  ['of very many messages', Array.from({ length: 20_001 }, (_, at) => `1 FETCH (UID ${at + 1} FLAGS () MODSEQ (5))`)],
] as const) {
  test(`changes reported ${what} are requested, once`, () => {
    const folder = folderThatHeard(...said)
    assert.equal(folder.drainNoted(30_000), undefined)
    assert.deepEqual(folder.drainNoted(30_000)?.flags.size, 0)
  })
}
