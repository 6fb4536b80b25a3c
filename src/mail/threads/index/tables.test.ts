import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import { threadStep } from '#test/mail/threads/rows.ts'
import { FolderRows } from './folder-rows.ts'
import { IdTable } from './id-table.ts'
import { RowNotes } from './row-notes.ts'
import { SenderTable } from './sender-table.ts'

test('ids of which one half is the same are different, also after the table has grown', () => {
  const ids = Array.from({ length: 40 }, (_, at): [number, number] =>
    at < 3 || at % 2 === 0 ? [1, 4 * at + 1] : [at + 1, 1],
  )
  const table = new IdTable(0)
  const nodes = ids.map((id) => table.intern(...id))
  assert.deepEqual(nodes, [...ids.keys()])
  assert.equal(table.find(1, 2), undefined)
  for (const [node, id] of ids.entries())
    assert.deepEqual([table.find(...id), table.intern(...id), table.hash(node)], [node, node, id])
  assert.equal(table.count, ids.length)
  assert.ok(table.bytes < 2 * 14 * ids.length, `${table.bytes}`)
})

test('different senders get different numbers, whatever is beside their texts and however many there are', () => {
  const texts = Array.from({ length: 2_000 }, (_, at) => ['', 'a', 'ab', 'b', 'ä@x.test'][at] ?? `${at}@x.test`)
  const all = Buffer.from(texts.join(''))
  const table = new SenderTable()
  let from = 0
  for (const [number, text] of texts.entries()) {
    const length = Buffer.byteLength(text)
    const apart = Buffer.from(`<${text}>`)
    assert.equal(table.intern(all, from, length), number)
    assert.equal(table.intern(apart, 1, length), number)
    from += length
  }
  for (const [number, text] of texts.entries()) {
    assert.equal(table.text(number), text)
    assert.equal(table.intern(Buffer.from(text), 0, Buffer.byteLength(text)), number)
  }
})

test('rows are numbered from 0 on, and found by the uids that were added', () => {
  const ids = { messageId: null, strong: [], weak: [] }
  const some = (...uids: number[]) =>
    threadStep(idHashKey('a secret'), {
      appended: uids.map((uid) => ({ uid, seen: false, receivedAt: 0, sender: '', ids })),
    }).rows
  const rows = new FolderRows(0)
  assert.deepEqual([rows.add(some(3, 5)), rows.add(some(8))], [0, 2])
  const found = [0, 3, 4, 5, 8, 9].map((uid) => rows.find(uid))
  assert.deepEqual(found, [undefined, 0, undefined, 1, 2, undefined])
})

test('what is noted of rows is kept, however many come', () => {
  const notes = new RowNotes(0)
  notes.judgeBy('one')
  for (let row = 0; row < 1_000; row++) {
    notes.reserve(row + 1)
    notes.setMarks(row, 1 + (row % 2))
    notes.setConversation(row, 70_000 + row)
    notes.judge('one', row, row % 200)
  }
  for (let row = 0; row < 1_000; row++) {
    const noted = [notes.marks(row), notes.conversation(row), notes.judgement(row)]
    assert.deepEqual(noted, [1 + (row % 2), 70_000 + row, row % 200])
  }
  assert.equal(notes.countMarked(3, 2), 500)
  notes.judge('another', 7, 1)
  notes.judgeBy('one')
  assert.equal(notes.judgement(7), 7)
  notes.judgeBy('another')
  assert.equal(notes.judgement(7), 0)
  assert.ok(notes.bytes < 2 * 6 * 1_000, `${notes.bytes}`)
})
