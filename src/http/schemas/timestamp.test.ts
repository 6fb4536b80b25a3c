import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from './timestamp.ts'

for (const [text, expected] of [
  ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T08:00:00.5+01:00', '2026-11-21T07:00:00.500Z'],
  ['2026-11-21t08:00:00.123456789z', '2026-11-21T08:00:00.123Z'],
  ['2028-02-29T23:59:59-23:59', '2028-03-01T23:58:59.000Z'],
] as const)
  test(`${text} is a time`, () => assert.equal(timestamp(text, 'send_at').toISOString(), expected))

for (const text of [
  ...['2026-11-21T08:00:00', '2026-11-21', '2026-11-21 08:00:00Z', '2026-00-01T08:00:00Z', '2026-11-00T08:00:00Z'],
  ...['2026-11-21T08:00:00+24:00', '+002026-11-21T08:00:00Z', 'on 2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z or so'],
  ...['tomorrow', ''],
])
  test(`${JSON.stringify(text)} is no time with an offset`, () =>
    assert.throws(() => timestamp(text, 'send_at'), { code: 'invalid_request', field: 'send_at' }))

for (const [text, why] of [
  ['2026-02-29T08:00:00Z', '2026-02 has the days 01 to 28'],
  ['2026-02-30T08:00:00+01:00', '2026-02 has the days 01 to 28'],
  ['2026-04-31T08:00:00Z', '2026-04 has the days 01 to 30'],
  ['2026-04-00T08:00:00Z', '2026-04 has the days 01 to 30'],
  ['2026-13-01T08:00:00Z', 'months are 01 to 12'],
  ['2026-11-21T24:00:00Z', 'hours are 00 to 23'],
  ['2026-11-21T08:60:00Z', 'minutes are 00 to 59'],
  ['2026-11-21T08:00:60Z', 'seconds are 00 to 59'],
] as const)
  test(`${text} does not exist, and that is said`, () =>
    assert.throws(() => timestamp(text, 'send_at'), { field: 'send_at', message: `send_at does not exist: ${why}` }))
