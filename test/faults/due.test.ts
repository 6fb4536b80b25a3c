import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueRun } from './due-run.ts'

test('row 31: of 300 messages due at one second, 270 of one organization, all go once, and those of the other are not held back', async (t) => {
  const { twice, unsent, heldBack, seconds } = await dueRun(300)
  t.diagnostic(`${seconds.toFixed(1)} s, the last of the small organization after ${(heldBack * 100).toFixed(0)} %`)
  assert.deepEqual([twice, unsent], [[], []])
  assert.ok(heldBack < 0.5, `${heldBack}`)
})
