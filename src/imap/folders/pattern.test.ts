import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matcherOf } from './pattern.ts'

for (const [pattern, fitting, others] of [
  ['*', ['INBOX', 'a', 'a/b', 'a/b/c'], []],
  ['%', ['INBOX', 'a'], ['a/b']],
  ['a', ['a'], ['A', 'ab', 'a/b']],
  ['a%', ['a', 'ab'], ['a/b', 'ba']],
  ['a*', ['a', 'ab', 'a/b'], ['ba']],
  ['a/%', ['a/', 'a/b'], ['a', 'a/b/c']],
  ['%/%', ['a/b'], ['a', 'a/b/c']],
  ['*/c', ['b/c', 'a/b/c'], ['c', 'a/c/b']],
  ['%*%', ['a', 'a/b'], []],
  ['*a%b*', ['ab', 'xa1b/y', 'a/ab'], ['a/b', 'ba']],
  ['日%', ['日本語', '日'], ['本日']],
  ['', [''], ['a']],
  ['a.c', ['a.c'], ['abc']],
] as const)
  test(`names that fit ${JSON.stringify(pattern)}`, () => {
    const matches = matcherOf(pattern)
    assert.deepEqual(
      fitting.filter((name) => !matches(name)),
      [],
    )
    assert.deepEqual(others.filter(matches), [])
  })

test('a pattern fits what a regular expression of the same meaning does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '%'), maxLength: 8 })
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 })
  fc.assert(
    fc.property(text, name, (pattern, given) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('%', '[^/]*')}$`)
      assert.equal(matcherOf(pattern)(given), expression.test(given))
    }),
  )
})
