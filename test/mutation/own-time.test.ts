import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { counted, OwnTime } from './own-time.ts'

const share = (ran: number, waited: number) => ({ ran, waited })

for (const [what, before, after, expected] of [
  ['counts where nothing waits for a processor', {}, { a: share(10, 0) }, 100],
  ['does not count while a thread waits for a processor', { a: share(5, 30) }, { a: share(15, 100) }, 30],
  ['does not count while any of several threads waits', {}, { a: share(10, 20), b: share(10, 50) }, 30],
  ['counts where a thread ran, however many wait', {}, { a: share(70, 30), b: share(0, 100), c: share(0, 100) }, 70],
  ['counts where all threads have ended', { a: share(5, 30) }, {}, 100],
] as const)
  test(`Time ${what}`, () => assert.equal(counted(100, shares(before), shares(after)), expected))

function shares(threads: Readonly<Record<string, { ran: number; waited: number }>>) {
  return new Map(Object.entries(threads))
}

for (const [what, code] of [
  ['waits for nothing', 'setInterval(() => {}, 1_000)'],
  ['loops', 'for (;;);'],
] as const)
  test(`A process that ${what} comes to the end of its time`, async () => {
    const mark = randomUUID()
    const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore', env: { MARK: mark } })
    const exited = once(child, 'exit')
    using _time = new OwnTime(mark, 500, () => child.kill())
    assert.deepEqual(await exited, [null, 'SIGTERM'])
  })
