import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { mutantsOf, mutated, shuffled } from './mutants.ts'

/** What a source text becomes, mutant by mutant. */
function becomes(text: string): string[] {
  return mutantsOf('some.ts', text).map((mutant) => mutated(text, mutant))
}

for (const [what, text, expected] of [
  ['a comparison moves by one', 'a < b', ['a <= b']],
  ['a sum is a difference', 'a + b', ['a - b']],
  ['texts are not subtracted', "a + 'b'", ["a + ''"]],
  ['of two conditions either is enough, or one alone is asked', 'a && b', ['a || b', 'a', 'b']],
  ['a default is not given', 'a ?? b', ['a']],
  ['a condition always holds, or never', 'if (a) b', ['if (true) b', 'if (false) b']],
  ['a call is left out', 'a()', [';']],
  ['a call is left out of a chain', 'x = a.filter(b)', [';', 'x = a']],
  ['an error is not thrown', 'throw a', [';']],
  ['a number is a hundred times as large', 'x => 45', ['x => 4500']],
  ['an expression is not anchored', 'x => /^a$/', ['x => /a$/', 'x => /^a/']],
  ['what is for people stays', "x => 'Give a name that nobody has'", []],
  ['what is compared stays as it is', "x => a === 'b'", ["x => a !== 'b'"]],
  ['types stay', "let x: 'a' | 1", []],
  ['imports stay', "import a from 'b'", []],
  ['descriptions stay', "x => ({ description: 'word' })", []],
] as const)
  test(`Of a script ${what}`, () => assert.deepEqual(becomes(text), expected))

const statement = (text: string) => `x => sql\`${text}\``

for (const [what, text, expected] of [
  ['a comparison moves by one', 'a <= b', ['a < b']],
  ['operators of JSON stay', "a ->> 'b'", ["a ->> ''"]],
  ['rows are not locked', 'select a for update skip locked', ['select a  skip locked', 'select a for update ']],
  [
    'each condition is left out',
    'select where a = (b and c) order by d',
    ['select where a = (b or c) order by d', 'select where true order by d', 'select where a = (b ) order by d'],
  ],
  ['the end of a range is no condition', 'between a and b', ['between a or b']],
  [
    'a condition ends where an expression in it does',
    'f(a and b) and c',
    ['f(a or b) and c', 'f(a and b) or c', 'f(a ) and c', 'f(a and b) '],
  ],
  ['an interval passes at once', "interval '24 hours'", ["interval '0 hours'"]],
  ['what follows an expression is changed', `\${f({ a })} < b`, [`\${f({ a })} <= b`]],
  ['expressions in it are scripts', `\${a < b}`, [`\${a <= b}`]],
] as const)
  test(`Of a statement ${what}`, () => assert.deepEqual(becomes(statement(text)), expected.map(statement)))

test('A mutant keeps its name when lines move and other functions change', () => {
  const before = 'function f() { a() }\nfunction g() { if (x < 1) b() }'
  const after = '// Why\n\nfunction g() {\n  c()\n  if (x < 1) b()\n}'
  const named = (text: string) => mutantsOf('some.ts', text).filter((mutant) => mutant.after === 'x <= 1')
  assert.equal(named(before).length, 1)
  assert.deepEqual(each(named(before), 'id'), each(named(after), 'id'))
})

test('The same change at two places of a function is two mutants', () => {
  const twice = mutantsOf('some.ts', 'function f() { a(); a(); }')
  assert.deepEqual(
    twice.map(({ function: inside, nth }) => [inside, nth]),
    [
      ['f', 1],
      ['f', 2],
    ],
  )
  assert.equal(new Set(twice.map(({ id }) => id)).size, 2)
})

test('A seed draws the same mutants each time, and another seed others', () => {
  const all = mutantsOf('some.ts', Array.from({ length: 40 }, (_, at) => `f${at}()`).join('\n'))
  const drawn = (seed: string) => shuffled(all, seed).map(({ id }) => id)
  assert.deepEqual(drawn('1'), drawn('1'))
  assert.notDeepEqual(drawn('1'), drawn('2'))
})
