import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOf } from './scope.ts'

for (const [amount, unit, now, time] of [
  [3, 'd', '2026-03-02', '2026-02-27'],
  [2, 'w', '2026-03-02', '2026-02-16'],
  [1, 'm', '2026-05-15', '2026-04-15'],
  [1, 'm', '2026-03-31', '2026-02-28'],
  [13, 'm', '2026-01-31', '2024-12-31'],
  [1, 'y', '2028-02-29', '2027-02-28'],
  [9_999, 'y', '2026-03-02', '1970-01-01'],
] as const)
  test(`${amount}${unit} before ${now} is ${time}`, () => {
    const found = timeOf({ kind: 'older_than', amount, unit }, new Date(`${now}T00:00:00Z`))
    assert.equal(found.toISOString(), `${time}T00:00:00.000Z`)
  })
