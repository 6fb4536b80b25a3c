import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Extra, Pace } from './concurrency.ts'

const quick = { delivered: true, status: 204, answer: '', error: null, milliseconds: 1 }

/** Requests to a receiver that a test ends. */
class Requests {
  readonly pace: Pace
  readonly #ends: (() => void)[] = []
  begun = 0

  constructor(extra: Extra, count: number) {
    this.pace = new Pace(extra)
    for (let width = 4; width < 32; width *= 2) for (let n = 0; n < width; n++) this.pace.learn(quick)
    for (let n = 0; n < count; n++) void this.pace.run(() => this.#request())
  }

  #request(): Promise<void> {
    this.begun += 1
    return new Promise((resolve) => this.#ends.push(resolve))
  }

  /** Ends those that were begun. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) end()
    await new Promise(setImmediate)
  }
}

test('receivers share what there is beyond one request for each, and none waits for another', async () => {
  const extra = new Extra(40)
  const [first, second, third] = [new Requests(extra, 50), new Requests(extra, 50), new Requests(extra, 50)]
  assert.deepEqual([first.begun, second.begun, third.begun], [32, 10, 1])
  await third.end()
  assert.equal(third.begun, 2)
  await first.end()
  // It has 18 left, of which 17 are beyond the first.
  assert.equal(first.begun, 50)
  await second.end()
  assert.equal(second.begun, 34)
  for (const one of [first, second, third]) while (one.begun < 50) await one.end()
  for (const one of [first, second, third]) await one.end()
  let free = 0
  while (extra.take()) free++
  assert.equal(free, 40)
})
