import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertWithinWindow } from './send-at.ts'

test('the window is from a minute ago to 31 days and a minute ahead, its ends included', () => {
  const now = new Date('2026-11-21T08:00:00Z')
  const ahead = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
  const month = 31 * 24 * 3_600
  for (const seconds of [-60, -59, 0, month, month + 60]) assertWithinWindow(ahead(seconds), now)
  const passed = { field: 'send_at', message: 'That time has already passed' }
  assert.throws(() => assertWithinWindow(ahead(-61), now), passed)
  const tooFar = { field: 'send_at', message: 'Messages can be scheduled up to a month ahead' }
  assert.throws(() => assertWithinWindow(ahead(month + 61), now), tooFar)
})
