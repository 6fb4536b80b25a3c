// On both databases: two connections move messages against each other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { By } from '#/base/event-log/append.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { type FolderChanges, folderChanges } from './changes.ts'
import { copyMessages } from './copy.ts'
import { expungeMarked, expungeMessages } from './expunge.ts'
import { type FolderRef, type FolderState, findFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { storeFlags } from './store-flags.ts'
import { updateMessages } from './update.ts'

const by: By = { kind: 'mail_program', id: null, name: '' }
const { db } = await databaseOfFile()

for (const [gone, code] of [
  ['mail_folders', 'invalid_request'],
  ['mailboxes', 'not_found'],
] as const) {
  test(`after the row in ${gone} has gone between two statements, a reader is told ${code}`, async () => {
    const ada = await newMailbox(db, 'ada')
    let statements = 0
    const plugged = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const id = sql.ref(gone === 'mailboxes' ? 'id' : 'mailbox_id')
        if (++statements === 1) await sql`delete from ${sql.table(gone)} where ${id} = ${ada.mailboxId}`.execute(db)
        return result
      },
    })
    await assert.rejects(folderChanges(plugged, ada, 'inbox', undefined), { code })
  })
}

test('a large folder comes in steps of at most 2,048 messages, each message once', async () => {
  const ada = await newMailbox(db, 'ada')
  await fill(ada, 5000, 2)
  const steps = await allSteps(ada)
  assert.deepEqual(
    steps.map(({ rows, more, reset }) => [rows.uid.length, more, reset]),
    [
      [2048, true, true],
      [2048, true, false],
      [904, false, false],
    ],
  )
  const uids = steps.flatMap(({ rows }) => [...rows.uid])
  assert.deepEqual(
    uids,
    Array.from({ length: 5000 }, (_, index) => index + 1),
  )
  for (const { rows, exists } of steps) {
    assert.equal(exists, 5000)
    assert.deepEqual([rows.id.length, rows.strong.length], [8 * rows.uid.length, 16 * rows.uid.length])
    assert.ok(rows.strongLength.every((length) => length === 16))
  }
})

test('a copy that takes over an id is read again, with that', async () => {
  const ada = await newMailbox(db, 'ada')
  await storeCopies(db, [copy(ada)])
  const [inbox, archive] = await Promise.all(['inbox', 'archive'].map((name) => findFolder(db, ada, name)))
  const refs = [inbox, archive].map((folder) => ({ mailbox: ada, folderId: folder?.id ?? 0 })) as [FolderRef, FolderRef]
  const { rows } = await folderChanges(db, ada, 'inbox', undefined)
  await db.transaction().execute((tx) => copyMessages(tx, refs[0], [1], refs[1], by))
  const { state } = await folderChanges(db, ada, 'archive', undefined)
  await db.transaction().execute(async (tx) => {
    await storeFlags(tx, refs[0], [1], { deleted: true }, by)
    await expungeMarked(tx, refs[0], [1], by)
  })
  const { flags } = await folderChanges(db, ada, 'archive', state)
  assert.deepEqual([[...flags.uid], flags.number], [[1], rows.number])
})

test('a folder that most messages have left is read in few steps', async () => {
  const ada = await newMailbox(db, 'ada')
  await fill(ada, 30, 1)
  await fill(ada, 3000, 1, 900_000)
  await sql`update mail_folders set total = 3030, unread = 3030 where mailbox_id = ${ada.mailboxId} and name = 'inbox'`.execute(
    db,
  )
  const steps = await allSteps(ada)
  assert.deepEqual(
    steps.map(({ rows }) => rows.uid.length).filter((count) => count > 0),
    [30, 2048, 952],
  )
  assert.ok(steps.length <= 5)
  assert.equal(steps.at(-1)?.state.uidNext, 903_000)
})

test('messages that name very many ids come in smaller steps, one of them alone if need be', async () => {
  const ada = await newMailbox(db, 'ada')
  await fill(ada, 12, 100_000)
  await fill(ada, 1, 600_000, 13)
  await fill(ada, 12, 1, 14)
  const steps = await allSteps(ada)
  assert.deepEqual(
    steps.flatMap(({ rows }) => [...rows.uid]),
    Array.from({ length: 25 }, (_, index) => index + 1),
  )
  for (const { rows } of steps) assert.ok(rows.uid.length === 1 || rows.strong.length <= 4 << 20)
  assert.deepEqual(
    steps.map(({ rows }) => rows.strong.length).reduce((sum, length) => sum + length),
    8 * (12 * 100_000 + 600_000 + 12),
  )
})

test('a reader that follows while others write holds, at the end of each catch-up, as many messages as there were', async () => {
  const ada = await newMailbox(db, 'ada')
  await append(ada, 30)
  let writing = true
  const write = async (from: string, to: string) => {
    for (let round = 0; round < 15; round++) {
      await append(ada, 3)
      const uids = Array.from({ length: 8 }, (_, index) => round * 3 + index)
      await updateMessages(db, ada, from, uids, { folder: to })
      await expungeMessages(db, ada, from, [round * 4])
    }
  }
  const writers = Promise.all([write('inbox', 'archive'), write('archive', 'inbox')]).finally(() => {
    writing = false
  })
  const held = new Set<number>()
  let state: FolderState | undefined
  while (writing) {
    const step = await folderChanges(db, ada, 'inbox', state)
    for (const uid of step.expunged) held.delete(uid)
    for (const uid of step.rows.uid) held.add(uid)
    state = step.state
    if (!step.more) assert.equal(held.size, step.exists)
  }
  await writers
})

async function allSteps(mailbox: MailboxRef): Promise<FolderChanges[]> {
  const steps: FolderChanges[] = []
  do steps.push(await folderChanges(db, mailbox, 'inbox', steps.at(-1)?.state))
  while (steps.at(-1)?.more)
  return steps
}

function append(mailbox: MailboxRef, count: number): Promise<void> {
  const copies = Array.from({ length: count }, () => copy(mailbox))
  return storeCopies(db, copies)
}

/** Rows of messages that name so many ids each, without what the messages say. */
async function fill({ mailboxId }: MailboxRef, count: number, ids: number, firstUid = 1): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`
      insert into mail_messages (folder_id, uid, modseq, content_id, received_at, size_bytes, seen, flagged, keywords,
        sender, id_hash, strong, weak)
      select id, uid, 2, 0, now(), 1, false, false, '{}', 'ann@x.test', decode(repeat('ab', 8), 'hex'),
        decode(repeat('0102030405060708', ${ids}::integer), 'hex'), ''
      from mail_folders, generate_series(${firstUid}::integer, ${firstUid + count - 1}::integer) uid
      where mailbox_id = ${mailboxId} and name = 'inbox'`.execute(tx)
    await sql`
      update mail_folders set total = ${firstUid + count - 1}::integer, unread = ${firstUid + count - 1}::integer,
        uid_next = ${firstUid + count}::integer, modseq = 2
      where mailbox_id = ${mailboxId} and name = 'inbox'`.execute(tx)
  })
}
