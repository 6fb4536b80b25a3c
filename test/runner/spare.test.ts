import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idleProcessors, Spare } from './spare.ts'

/** Processors whose idle shares are these, and what was not asked for yet. */
function processors(shares: readonly number[]) {
  const left = [...shares]
  return { left, spare: new Spare(() => left.shift() ?? assert.fail('nobody asks any more'), 1) }
}

test('processors are to spare once a quarter of them was idle four times in a row', async () => {
  const { left, spare } = processors([0, 0.3, 0.3, 0.3, 0.2, 1, 0.25, 1, 1, 0.5])
  await spare.take(() => true)
  assert.deepEqual(left, [0.5])
})

test('a later caller waits again, from when the one before was served', async () => {
  const { left, spare } = processors([0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1])
  const served: number[] = []
  await Promise.all([1, 2].map((who) => spare.take(() => true).then(() => served.push(who, left.length))))
  assert.deepEqual(served, [1, 7, 2, 0])
})

test('who wants nothing any more waits no longer, on processors that are busy', async () => {
  const { left, spare } = processors([0, 0, 0, 0])
  await spare.take(() => left.length > 1)
  assert.deepEqual(left, [0])
})

test('the processors of this machine are idle by a share', () => {
  const idle = idleProcessors()
  for (const share of [idle(), idle()]) assert.ok(share >= 0 && share <= 1)
})
