import assert from 'node:assert/strict'
import { test } from 'node:test'
import { web } from '../../../bench/web.ts'

test('the bench "web" opens a list and conversations', async () => {
  const rows = await web({ messages: 100, visits: 1, openings: 2, heavy: 1 })
  // What takes less than 50 ms is no long task.
  assert.ok(
    rows.every(({ what, value }) => value > 0 || what.startsWith('Longest task as')),
    JSON.stringify(rows),
  )
})
