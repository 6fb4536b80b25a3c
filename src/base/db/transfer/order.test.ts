import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inOrderOfReferences } from './order.ts'

/** Tables that refer to themselves and to those before them, in any order. */
const tables = fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 4 }), { maxLength: 20 }).chain((all) => {
  const named = all.map((to, at) => ({ name: `t${at}`, references: to.map((other) => `t${other % (at + 1)}`) }))
  return fc.shuffledSubarray(named, { minLength: all.length })
})

test('every table comes once, after all that it refers to', () =>
  fc.assert(
    fc.property(tables, (given) => {
      const names = inOrderOfReferences(given).map(({ name }) => name)
      assert.deepEqual(names.toSorted(), given.map(({ name }) => name).toSorted())
      for (const { name, references } of given)
        for (const other of references) assert.ok(names.indexOf(other) <= names.indexOf(name))
    }),
  ))

test('a circle is refused', () => {
  const circle = ['a', 'b', 'c'].map((name, at) => ({ name, references: ['abc'.charAt((at + 1) % 3)] }))
  assert.throws(() => inOrderOfReferences(circle), /in a circle: a,b,c/)
})
