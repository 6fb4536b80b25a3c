import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isThrottled, most } from './throttle.ts'

const none = { together: 0, client: 0, login: 0, known: false }

for (const [what, failures, expected] of [
  ['a first try', none, false],
  ['a ninth mistake', { together: 9, client: 9, login: 9 }, false],
  ['a tenth mistake', { together: 10, client: 10, login: 10 }, true],
  ['a tenth mistake of who was let in lately', { together: 10, client: 10, login: 10, known: true }, true],
  ['a common password, tried for many', { client: 30 }, true],
  ['who was let in lately, behind the same address as such a one', { client: 30, known: true }, false],
  ['a first try at a login that many guess at', { login: 5_000 }, false],
  ['a second try at it', { together: 1, client: 1, login: 5_000 }, true],
  ['a second try of who was let in lately', { together: 1, client: 1, login: 5_000, known: true }, false],
] as const)
  test(`${expected ? 'throttled' : 'not throttled'}: ${what}`, () =>
    assert.equal(isThrottled({ ...none, ...failures }), expected))

const counts = fc
  .record({ together: fc.nat(100), more: fc.nat(100), others: fc.nat(10_000), known: fc.boolean() })
  .map(({ together, more, others, known }) => ({ together, client: together + more, login: together + others, known }))

test('what others fail at locks out neither who comes for the first time in an hour nor who was let in lately', () =>
  fc.assert(
    fc.property(counts, (failures) => {
      assert.equal(isThrottled({ ...failures, together: 0, client: 0 }), false)
      if (failures.together < most.together) assert.equal(isThrottled({ ...failures, known: true }), false)
    }),
  ))

test('nobody has more than ten guesses at a login, whoever it is', () =>
  fc.assert(
    fc.property(counts, (failures) => {
      if (failures.together >= most.together) assert.equal(isThrottled(failures), true)
    }),
  ))
