// On both databases: workers whose clocks differ claim one queue.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueRun } from './due-run.ts'

test('of 1,000 messages due at one second, 900 of one organization, all go once, and those of the other are not held back', async (t) => {
  const { twice, unsent, heldBack, seconds } = await dueRun(1_000)
  t.diagnostic(`${seconds.toFixed(1)} s, the last of the small organization after ${(heldBack * 100).toFixed(0)} %`)
  assert.deepEqual([twice, unsent], [[], []])
  assert.ok(heldBack < 0.5, `${heldBack}`)
})
