import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postfix } from '../../../bench/postfix.ts'

test('the bench "postfix" measures', async () => {
  const [row] = await postfix({ messages: 40, rounds: 1 })
  assert.ok(row && Number.isFinite(row.value) && row.value > 0)
})
