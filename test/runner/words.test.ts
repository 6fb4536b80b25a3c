import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shuffledBy } from './shuffle.ts'
import { wantedBy } from './words.ts'

for (const [line, expected] of [
  ['', [[], undefined, [], []]],
  ['a.test.ts --times b.test.ts', [['--times'], undefined, [], ['a.test.ts', 'b.test.ts']]],
  ['--postgres --differing', [['--postgres', '--differing'], undefined, [], []]],
  ['--test-name-pattern=x a.test.ts --peers', [['--peers'], undefined, ['--test-name-pattern=x'], ['a.test.ts']]],
  ['--shuffle 17 a.test.ts', [[], '17', [], ['a.test.ts']]],
  ['a.test.ts --shuffle 017', [[], '017', [], ['a.test.ts']]],
] as const)
  test(`the runner is asked by "${line}"`, () => {
    const { switches, seed, options, files } = wantedBy(line.split(' ').filter((word) => word !== ''))
    assert.deepEqual([[...switches], seed, options, files], expected)
  })

test('a seed is made where none is given', () => {
  const { seed, files } = wantedBy(['--shuffle', 'a.test.ts'])
  assert.match(seed ?? '', /^\d+$/)
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
