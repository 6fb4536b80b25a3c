import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Attempt, check } from './checker.ts'

const empty = { lost: [], unexpected: [], duplicated: [], recovered: [] }

for (const [what, attempts, stored, expected] of [
  ['nothing at all', {}, [], {}],
  ['what was acknowledged and is there', { a: [1, true] }, ['a'], {}],
  ['what was acknowledged and is not there', { a: [1, true], b: [1, true] }, ['b'], { lost: ['a'] }],
  ['what was not acknowledged and is not there', { a: [1, false] }, [], {}],
  ['what was not acknowledged and is there', { a: [1, false] }, ['a'], { recovered: ['a'] }],
  ['what was sent twice and is stored twice', { a: [2, true] }, ['a', 'a'], { duplicated: ['a'] }],
  ['what was never sent', { a: [1, true] }, ['a', 'b'], { unexpected: ['b'] }],
  ['what was begun and never sent completely', { a: [0, false] }, ['a'], { unexpected: ['a'], recovered: ['a'] }],
  ['what is stored more often than was sent', { a: [1, true] }, ['a', 'a'], { unexpected: ['a'], duplicated: ['a'] }],
] as const)
  test(`the checker tells of ${what}`, () => {
    const known = new Map(
      Object.entries(attempts).map(([name, [times, acknowledged]]) => [name, { attempts: times, acknowledged }]),
    )
    const { attempted, acknowledged, stored: count, ...verdict } = check(known, stored)
    assert.deepEqual(verdict, { ...empty, ...expected })
    assert.equal(attempted, known.size)
    assert.equal(acknowledged, [...known.values()].filter((one) => one.acknowledged).length)
    assert.equal(count, stored.length)
  })

test('a service that keeps all it acknowledged and nothing else passes; with one taken out or put in it does not', () => {
  const attempt = fc.record({ attempts: fc.integer({ min: 1, max: 3 }), acknowledged: fc.boolean() })
  const attempts = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), attempt, { minKeys: 1 })
  fc.assert(
    fc.property(attempts, fc.nat(), (made, which) => {
      const known = new Map<string, Attempt>(Object.entries(made))
      const kept = [...known].filter(([, { acknowledged }]) => acknowledged).map(([name]) => name)
      assert.deepEqual(
        { ...check(known, kept), attempted: 0, acknowledged: 0, stored: 0 },
        { ...empty, attempted: 0, acknowledged: 0, stored: 0 },
      )
      assert.deepEqual(check(known, [...kept, 'never sent']).unexpected, ['never sent'])
      if (kept.length === 0) return
      const [taken] = kept.splice(which % kept.length, 1)
      assert.deepEqual(check(known, kept).lost, [taken])
    }),
  )
})
