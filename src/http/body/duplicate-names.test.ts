import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { duplicateName } from './duplicate-names.ts'

for (const [what, text, expected] of [
  ['twice in one object', '{"a": 1, "b": 2, "a": 3}', 'a'],
  ['twice, written in two ways', '{"a": 1, "\\u0061": 2}', 'a'],
  ['twice in an object within others', '[{"x": [{"a": {}, "a": []}]}]', 'a'],
  ['twice, and empty', '{"": 1, "": 2}', ''],
  ['once in each of two objects', '[{"a": 1}, {"a": 2}]', undefined],
  ['once, and once in an object within', '{"a": {"a": {"a": 1}}}', undefined],
  ['as a name and as a value', '{"a": "a", "b": ["a", "a"]}', undefined],
  ['within a string', '{"a": "{\\"a\\": 1, \\"a\\\\\\": 2", "b": 1}', undefined],
  ['as the name __proto__', '{"__proto__": 1, "__proto__": 2}', '__proto__'],
] as const)
  test(`${expected === undefined ? 'no name is there twice' : `a name is found`} that is ${what}`, () =>
    assert.equal(duplicateName(text), expected))

test('no JSON that is written from a value has a name twice', () =>
  fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => assert.equal(duplicateName(text), undefined))))

test('a name that is there twice is found wherever its object stands', () => {
  const name = fc.string({ unit: anyCharacter }).filter((text) => text.isWellFormed())
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), name, (value, twice) => {
      const json = `{${JSON.stringify(twice)}: ${JSON.stringify(value)}, ${JSON.stringify(twice)}: null}`
      assert.equal(duplicateName(JSON.stringify([value, 0]).replace(/0\]$/, () => `${json}]`)), twice)
    }),
  )
})
