import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mutex } from './mutex.ts'

class Away extends Error {}

for (const [what, error, expected] of [
  ['runs by itself after work that fails', new Error('wrong'), ['wrong', 'done', 'done']],
  [
    'fails with work whose reason is its own too, and does not wait for the same once more',
    new Away('away'),
    ['away', 'away', 'away'],
  ],
] as const)
  test(`work that waits ${what}, and what comes later runs`, async () => {
    const mutex = new Mutex((error) => error instanceof Away)
    const { promise: failing, reject: fail } = Promise.withResolvers<string>()
    const run = (work: () => Promise<string>) => mutex.run(work).catch(({ message }) => message)
    const all = [run(() => failing), run(async () => 'done'), run(async () => 'done')]
    fail(error)
    assert.deepEqual(await Promise.all(all), expected)
    assert.deepEqual([await run(async () => 'later'), mutex.pending], ['later', 0])
  })
