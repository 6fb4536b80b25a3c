import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '#/mail/store/change.ts'
import { type Changes, changesOf, noChanges, noCounts, plusChanges, sumOfChanges } from './counts.ts'

for (const [what, change, counted] of [
  ['a move', { folder: 'archive' }, { moved: 2 }],
  ['a label', { addKeywords: ['work'] }, { labelled: 2 }],
  ['two labels', { addKeywords: ['work', 'home'] }, { labelled: 2 }],
  ['a star', { flagged: true }, { starred: 2 }],
  ['a reading', { seen: true }, { read: 2 }],
  [
    'all',
    { folder: 'a', addKeywords: ['work'], flagged: true, seen: true },
    { moved: 2, labelled: 2, starred: 2, read: 2 },
  ],
] as const satisfies readonly (readonly [string, Change, Partial<Changes>])[])
  test(`of two messages ${what} counts as one change of each, and as what it is`, () =>
    assert.deepEqual(changesOf(change, 2), { ...noChanges, changed: 2, ...counted }))

test('counts add up, each to its own, and those of filters stay', () => {
  const first = { changed: 1, moved: 2, labelled: 3, starred: 4, read: 5 }
  const second = { changed: 10, moved: 20, labelled: 30, starred: 40, read: 50 }
  const sum = { changed: 11, moved: 22, labelled: 33, starred: 44, read: 55 }
  assert.deepEqual(sumOfChanges(first, second), sum)
  const before = { ...noCounts(2), matched: 7, ...first }
  assert.deepEqual(plusChanges(before, second), { ...before, ...sum })
  assert.deepEqual(before.filters, Array(2).fill({ matched: 0, applied: 0 }))
})
