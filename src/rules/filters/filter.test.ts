import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertArgumentFits, filterName, filterValue } from './filter.ts'

for (const [what, check, most] of [
  ['name', filterName, 64],
  ['value', filterValue, 120],
] as const)
  test(`a filter's ${what} has 1 to ${most} characters, of any plane, wherever it comes from`, () => {
    for (const fits of ['x', 'x'.repeat(most), '😀'.repeat(most)]) assert.equal(check(fits), fits)
    for (const not of ['', ' \u3000', 'x'.repeat(most + 1), '😀'.repeat(most + 1)])
      assert.throws(() => check(not), { code: 'invalid_request', field: what })
  })

for (const [action, argument, fits] of [
  ['move', 'archive', true],
  ['move', null, false],
  ['label', 'work', true],
  ['label', null, false],
  ['star', null, true],
  ['star', 'archive', false],
  ['star', '', false],
  ['read', null, true],
  ['read', 'archive', false],
] as const)
  test(`a filter that is to ${action} ${fits ? 'may' : 'may not'} have the argument ${JSON.stringify(argument)}`, () => {
    if (fits) assertArgumentFits({ action, argument })
    else assert.throws(() => assertArgumentFits({ action, argument }), { code: 'invalid_request', field: 'argument' })
  })
