import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** Far more than anything takes, in milliseconds. */
const longest = 120_000

/** Polls until it holds. After the limit the test fails, and polling ends, so that it does not disturb the next test. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + longest
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'what the test waits for has not come')
    // Requests are limited.
    await pause(100)
  }
}
