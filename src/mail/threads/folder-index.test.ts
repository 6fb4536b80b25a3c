import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idHash, idHashKey } from '#/formats/mime/id-hash.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'
import { threadStep } from '#test/mail/threads/rows.ts'
import { FolderIndex } from './folder-index.ts'

const key = idHashKey('a secret')

/** A folder that is told in steps, and what was asked for. */
function folderOf(...steps: readonly Partial<FolderChanges>[]) {
  const asked: ('from nothing' | 'from a state')[] = []
  const index = new FolderIndex({
    changes: async (since) => {
      asked.push(since ? 'from a state' : 'from nothing')
      return { ...threadStep(key, {}), ...steps[asked.length - 1] }
    },
    hash: (name) => idHash(key, name),
  })
  return { index, asked }
}

const rowsFrom = (first: number, count: number) =>
  threadStep(key, {
    appended: Array.from({ length: count }, (_, at) => ({
      ...{ uid: first + at, seen: false, receivedAt: 0, sender: '' },
      ids: { messageId: null, strong: [], weak: [] },
    })),
  }).rows

const whole = (count: number) => ({ rows: rowsFrom(1, count), exists: count })

test('an index with mostly deleted messages is rebuilt', async () => {
  const expunged = Uint32Array.from({ length: 2_100 }, (_, at) => at + 1)
  const rest = { rows: rowsFrom(2_101, 900), exists: 900 }
  const { index, asked } = folderOf(whole(3_000), { expunged, exists: 900 }, rest)
  const { index: before, bytes } = { ...(await index.upToDate()), bytes: index.bytes }
  const { index: after } = await index.upToDate()
  assert.deepEqual(asked, ['from nothing', 'from a state', 'from nothing'])
  assert.deepEqual([after.messages, after !== before, index.bytes < bytes], [900, true, true])
})

test('a folder that changes its numbering while it is read is read from its beginning', async () => {
  const part = { rows: rowsFrom(1, 2), exists: 4, more: true }
  const { index, asked } = folderOf(part, { ...whole(3), reset: true })
  assert.equal((await index.upToDate()).index.messages, 3)
  assert.deepEqual(asked, ['from nothing', 'from a state'])
})
