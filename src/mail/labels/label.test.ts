import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelColour, labelName, namedColours, nameKey } from './label.ts'

for (const [given, colour] of [
  ...namedColours.map((one) => [one, one] as const),
  ['#1e90ff', '#1e90ff'],
  ['#1E90FF', '#1e90ff'],
] as const)
  test(`a label can be ${given}`, () => assert.equal(labelColour(given), colour))

for (const given of ['purple', 'Slate', '', '#fff', '#1e90f', '#1e90fff', '1e90ff', '#ggg000', '#1e90ff\n'])
  test(`${JSON.stringify(given)} is no colour`, () => assert.throws(() => labelColour(given), { field: 'colour' }))

test('a name has 32 characters at most', () => {
  assert.equal(labelName('😀'.repeat(32)), '😀'.repeat(32))
  assert.throws(() => labelName('a'.repeat(33)), { field: 'name' })
})

const alike = { Work: 'wORK', Straße: 'STRASSE', Café: 'CAFE\u0301', ΟΔΟΣ: 'οδος' }
for (const [one, other] of Object.entries(alike))
  test(`"${other}" is the name "${one}"`, () => assert.equal(nameKey(other), nameKey(one)))
