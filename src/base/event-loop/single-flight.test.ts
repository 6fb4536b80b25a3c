import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SingleFlight } from './single-flight.ts'

for (const [what, error, expected] of [
  ['has a run of its own after one that fails', new Error('wrong'), ['wrong', 'run 2', 'run 2']],
  [
    'hears at once that the database is away, and does not wait for it once more',
    Object.assign(new Error('away'), { code: 'ETIMEDOUT' }),
    ['away', 'away', 'away'],
  ],
] as const)
  test(`who comes during a run ${what}`, async () => {
    const { promise: failing, reject: fail } = Promise.withResolvers<string>()
    let runs = 0
    const flight = new SingleFlight(async () => (++runs === 1 ? failing : `run ${runs}`))
    const run = () => flight.run().catch(({ message }) => message)
    const all = [run(), run(), run()]
    fail(error)
    assert.deepEqual(await Promise.all(all), expected)
    assert.match(await run(), /^run/)
  })
