import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dateTime, numbersIn, quoted, readDateTime, realUids, uidSet } from './syntax.ts'

test('nothing but printable ASCII is quoted', () => {
  for (const text of ['a\r\nb', '\0', '\x7f', 'ü']) assert.throws(() => quoted(text))
})

test('uids make a set, and the set the uids', () => {
  assert.equal(uidSet([1, 2, 3, 5, 7, 8]), '1:3,5,7:8')
  assert.deepEqual(numbersIn('1:3,5,8:7', 100), [1, 2, 3, 5, 7, 8])
  assert.deepEqual(
    [numbersIn('1:4000000000', 1_000), numbersIn('1:*', 9), numbersIn('', 9)],
    [undefined, undefined, undefined],
  )
  const uids = fc.uniqueArray(fc.integer({ min: 1, max: 60 })).map(realUids)
  fc.assert(fc.property(uids, (some) => some.length === 0 || assert.deepEqual(numbersIn(uidSet(some), 100), some)))
  assert.deepEqual(realUids([3, 0, -1, 1.5, 3, 2 ** 32, 1, Number.NaN]), [1, 3])
})

for (const [text, date] of [
  ['17-Jul-1996 02:44:25 -0700', '1996-07-17T09:44:25.000Z'],
  [' 1-Jan-2026 00:00:00 +0130', '2025-12-31T22:30:00.000Z'],
  ['29-Feb-2024 23:59:59 +0000', '2024-02-29T23:59:59.000Z'],
] as const) {
  test(`${text} is ${date}`, () => assert.equal(new Date(readDateTime(Buffer.from(text))).toISOString(), date))
}

test('a date comes back as it was written, to the second; what is none is the epoch', () => {
  const date = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(date, (at) => {
      const read = readDateTime(Buffer.from(dateTime(at).slice(1, -1)))
      assert.equal(read, Math.floor(at.getTime() / 1_000) * 1_000)
    }),
  )
  for (const text of ['', '17-Jul-1996', '17-Foo-1996 02:44:25 -0700']) assert.equal(readDateTime(Buffer.from(text)), 0)
  assert.equal(readDateTime(undefined), 0)
})
