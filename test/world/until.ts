import assert from 'node:assert/strict'

/** Far more than anything takes, in milliseconds. */
const longest = 120_000

/** Asks until it holds. A test that waits for what does not come fails then, and asks no more beside the next one. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + longest
  while (!(await holds())) assert.ok(performance.now() < end, 'what the test waits for has not come')
}
