import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageDate, readDate } from './date.ts'

for (const [value, expected] of [
  ['Sat, 21 Nov 2026 08:44:33 +0100', '2026-11-21T07:44:33.000Z'],
  ['21 Nov 2026 07:44 -0000', '2026-11-21T07:44:00.000Z'],
  ['Sat, 21 Nov 2026 08:44:33 +0100 (CET)', '2026-11-21T07:44:33.000Z'],
  ['Sat,21 Nov 2026 (a (nested) comment) 08:44:33+0100', '2026-11-21T07:44:33.000Z'],
  ['Sat 21 november 2026 02:14:33 -0530', '2026-11-21T07:44:33.000Z'],
  ['21 Nov 98 07:44:33 GMT', '1998-11-21T07:44:33.000Z'],
  ['21 Nov 26 02:44:33 EST', '2026-11-21T07:44:33.000Z'],
  ['21 Nov 126 07:44:33 UT', '2026-11-21T07:44:33.000Z'],
  ['21 Nov 2026 07:44:33 X', '2026-11-21T07:44:33.000Z'],
  ['Sat, 21 Nov 2026 11:30:00 PM +0100', '2026-11-21T22:30:00.000Z'],
  ['21 Nov 2026 11:30:00PM GMT', '2026-11-21T23:30:00.000Z'],
  ['21 Nov 2026 12:30 AM', '2026-11-21T00:30:00.000Z'],
  ['21 Nov 2026 12:30:00 p.m. EST', '2026-11-21T17:30:00.000Z'],
  ['21 Nov 2026 23:30:00 PM', '2026-11-21T23:30:00.000Z'],
  ['31 Dec 2016 23:59:60 +0000', '2016-12-31T23:59:59.000Z'],
  ['29 Feb 2028 00:00:00 +0000', '2028-02-29T00:00:00.000Z'],
  ['29 Feb 2026 00:00:00 +0000', undefined],
  ['32 Jan 2026 00:00:00 +0000', undefined],
  ['1 Foo 2026 00:00:00 +0000', undefined],
  ['1 Jan 2026 24:00:00 +0000', undefined],
  ['1 Jan 2026 12:60:00 +0000', undefined],
  ['1 Jan 1066 12:00:00 +0000', undefined],
  ['31 Dec 9999 23:59:59 +0000', '9999-12-31T23:59:59.000Z'],
  ['31 Dec 9999 23:59:59 -0100', undefined],
  ['2026-11-21T07:44:33Z', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [`${' '.repeat(100_000)}21 Nov 2026 07:44:33 GMT`, undefined],
] as const)
  test(`a Date ${JSON.stringify(value.slice(0, 60))} is ${expected ?? 'none'}`, () =>
    assert.equal(readDate(value)?.toISOString(), expected))

test('what is written is read back', () => {
  const at = new Date('2026-11-21T07:44:33.000Z')
  assert.deepEqual(readDate(messageDate(at)), at)
})
