import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shuffledBy } from './shuffle.ts'
import { wantedBy } from './words.ts'

for (const [line, expected] of [
  ['', [[], undefined, '1', [], []]],
  ['a.test.ts --times b.test.ts', [['--times'], undefined, '1', [], ['a.test.ts', 'b.test.ts']]],
  ['--postgres --differing', [['--postgres', '--differing'], undefined, '1', [], []]],
  ['--test-name-pattern=x a.test.ts --peers', [['--peers'], undefined, '1', ['--test-name-pattern=x'], ['a.test.ts']]],
  ['--shuffle 17 a.test.ts', [[], '17', '1', [], ['a.test.ts']]],
  ['--seed 18 a.test.ts --shuffle 017', [[], '017', '18', [], ['a.test.ts']]],
] as const)
  test(`the runner is asked by "${line}"`, () => {
    const { switches, shuffle, seed, options, files } = wantedBy(line.split(' ').filter((word) => word !== ''))
    assert.deepEqual([[...switches], shuffle, seed, options, files], expected)
  })

test('numbers are made where none is given', () => {
  const { shuffle, seed, files } = wantedBy(['--shuffle', 'a.test.ts', '--seed'])
  for (const made of [shuffle, seed]) assert.match(made ?? '', /^\d{4,}$/)
  assert.deepEqual(files, ['a.test.ts'])
})

test('a seed makes the same order of files again, and another seed another', () => {
  const files = Array.from('abcdefghijkl', (letter) => `${letter}.test.ts`)
  const [first, again, other] = ['1', '1', '2'].map((seed) => shuffledBy(seed)(files))
  assert.deepEqual(again, first)
  assert.notDeepEqual(other, first)
  for (const order of [first, other]) assert.deepEqual(order?.toSorted(), files)
  assert.notDeepEqual(first, files)
  const without = files.filter((file) => file !== 'f.test.ts')
  assert.deepEqual(
    shuffledBy('1')(without),
    first?.filter((file) => file !== 'f.test.ts'),
  )
  // Groups are moved as wholes.
  const groups = shuffledBy('1')(files.map((file) => [file, file]))
  assert.deepEqual(groups.map(([file]) => file).toSorted(), files)
})
