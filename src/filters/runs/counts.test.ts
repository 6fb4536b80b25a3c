import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Held } from '#/mail/recording.ts'
import type { Change } from '#/mail/update.ts'
import { type Changes, changesIn, changesOf, noChanges, noCounts, plusChanges, sumOfChanges } from './counts.ts'

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

const word = fc.constantFrom('work', 'home', 'later')
const one = fc.record({ seen: fc.boolean(), flagged: fc.boolean(), keywords: fc.uniqueArray(word) })
const yes = fc.constant(true)
const addKeywords = fc.uniqueArray(word, { minLength: 1 })
const change = fc.record({ folder: fc.constant('archive'), addKeywords, flagged: yes, seen: yes }, { requiredKeys: [] })

test('what was done is counted as what was to be done, of messages that lacked all of it', () =>
  fc.assert(
    fc.property(change, fc.array(one, { maxLength: 4 }), (change, messages) => {
      fc.pre(Object.keys(change).length > 0)
      const pairs = messages.map((message, index) => {
        const before: Held = {
          uid: index + 1,
          seen: change.seen ? false : message.seen,
          flagged: change.flagged ? false : message.flagged,
          keywords: message.keywords.filter((keyword) => !change.addKeywords?.includes(keyword)),
        }
        const after: Held = {
          uid: before.uid,
          seen: before.seen || change.seen === true,
          flagged: before.flagged || change.flagged === true,
          keywords: [...before.keywords, ...(change.addKeywords ?? [])],
        }
        return { before, after }
      })
      const source = { name: 'inbox', key: 1 }
      const target = change.folder === undefined ? source : { name: change.folder, key: 2 }
      const present = pairs.map(({ before }) => before)
      const mailbox = { organizationId: 'o', mailboxId: 'm' }
      assert.deepEqual(changesIn({ mailbox, source, target, present, pairs }), changesOf(change, messages.length))
    }),
  ))

test('what was so before, or is taken away, is not counted', () => {
  const folder = { name: 'inbox', key: 1 }
  const starred = { uid: 1, seen: true, flagged: true, keywords: ['work'] }
  const bare = { uid: 2, seen: false, flagged: false, keywords: [] }
  const did = { mailbox: { organizationId: 'o', mailboxId: 'm' }, source: folder, target: folder, present: [] }
  const pairs = [starred, { ...bare, uid: 1 }].map((after) => ({ before: starred, after }))
  assert.deepEqual(changesIn({ ...did, pairs }), { ...noChanges, changed: 2 })
})

test('counts add up, each to its own, and those of filters stay', () => {
  const first = { changed: 1, moved: 2, labelled: 3, starred: 4, read: 5 }
  const second = { changed: 10, moved: 20, labelled: 30, starred: 40, read: 50 }
  const sum = { changed: 11, moved: 22, labelled: 33, starred: 44, read: 55 }
  assert.deepEqual(sumOfChanges(first, second), sum)
  const before = { ...noCounts(2), matched: 7, ...first }
  assert.deepEqual(plusChanges(before, second), { ...before, ...sum })
  assert.deepEqual(before.filters, Array(2).fill({ matched: 0, applied: 0 }))
})
