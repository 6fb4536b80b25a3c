import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EventMessage } from '../../../web/src/api/generated.ts'
import { type Change, changed, isLeftBy, isStateOf } from '../../../web/src/pages/mail/actions/edits.ts'

// On one database: it is about the web app alone.

const shown = { id: 'm1', unread: false, starred: false, answered: true, forwarded: false, labels: ['a'] }
const place = { id: 'm1', folder: 'inbox', uid: 1, subject: null, from: null }

for (const [what, event, matches] of [
  ['that it is read', { unread: false }, true],
  ['that it is unread', { unread: true }, false],
  ['that it is read and starred', { unread: false, starred: true }, false],
  ['that it is answered', { answered: true }, true],
  ['that it is forwarded', { forwarded: true }, false],
  ['of a label that it is shown with', { added_labels: ['a'] }, true],
  ['of another label', { added_labels: ['a', 'b'] }, false],
  ['that a label is gone that is not shown', { removed_labels: ['b'] }, true],
  ['that a label is gone that is shown', { removed_labels: ['a'] }, false],
  ['that it has come here', { unread: false, moved_from: { folder: 'junk', uid: 7 } }, false],
] as const)
  test(`a message that is shown as read and answered, with a label, is ${matches ? '' : 'not '}what an event says ${what}`, () =>
    assert.equal(isStateOf({ ...place, ...event } as EventMessage, shown), matches))

const labels = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'))
const flags = { unread: fc.boolean(), starred: fc.boolean(), answered: fc.boolean(), forwarded: fc.boolean() }
const states = fc.record({ id: fc.constant('m1'), ...flags, labels })
const changes: fc.Arbitrary<Change> = fc.record(
  { unread: fc.boolean(), starred: fc.boolean(), add_labels: labels, remove_labels: labels },
  { requiredKeys: [] },
)

test('a message is left by a change exactly where the change would change nothing of it', () =>
  fc.assert(
    fc.property(states, changes, (state, change) => {
      const after = changed(state, change)
      assert.ok(isLeftBy(change, after))
      const isChanged =
        after.unread !== state.unread ||
        after.starred !== state.starred ||
        after.labels.toSorted().join() !== state.labels.toSorted().join()
      assert.equal(isLeftBy(change, state), !isChanged)
      assert.equal(isLeftBy({ ...change, folder: 'archive' }, after), false)
    }),
  ))
