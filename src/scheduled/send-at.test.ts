import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#/errors.ts'
import { assertWithinWindow, readSendAt } from './send-at.ts'

for (const [text, expected] of [
  ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T08:00:00.5+01:00', '2026-11-21T07:00:00.500Z'],
  ['2026-11-21t08:00:00.123456789z', '2026-11-21T08:00:00.123Z'],
  ['2028-02-29T23:59:59-23:59', '2028-03-01T23:58:59.000Z'],
] as const) {
  test(`${text} is a time`, () => assert.equal(readSendAt(text).toISOString(), expected))
}

for (const text of [
  '2026-11-21T08:00:00',
  '2026-11-21',
  '2026-11-21 08:00:00Z',
  '2026-02-29T08:00:00Z',
  '2026-13-01T08:00:00Z',
  '2026-00-01T08:00:00Z',
  '2026-11-00T08:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T08:00:60Z',
  '2026-11-21T08:00:00+24:00',
  '+002026-11-21T08:00:00Z',
  'tomorrow',
  '',
]) {
  test(`row 26: ${JSON.stringify(text)} is no time with an offset`, () =>
    assert.throws(
      () => readSendAt(text),
      (error) => error instanceof Refusal && error.field === 'send_at',
    ))
}

test('row 26: the window is from a minute ago to 31 days and a minute ahead, its ends included', () => {
  const now = new Date('2026-11-21T08:00:00Z')
  const ahead = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
  const month = 31 * 24 * 3_600
  for (const seconds of [-60, -59, 0, month, month + 60]) assertWithinWindow(ahead(seconds), now)
  assert.throws(() => assertWithinWindow(ahead(-61), now), { message: 'That time has already passed' })
  const tooFar = { message: 'Messages can be scheduled up to a month ahead' }
  assert.throws(() => assertWithinWindow(ahead(month + 61), now), tooFar)
})
