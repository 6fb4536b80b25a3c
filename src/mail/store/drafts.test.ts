// On both databases: connections change the same folders at once.
import assert from 'node:assert/strict'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { letter, rawOf, second } from '#test/world/letters/letters.ts'
import { idKey } from '#test/world/mail/mailboxes.ts'
import { trials } from '#test/world/mail/trial.ts'
import { type DraftToStore, storeDraft } from './drafts.ts'
import { findFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { readStored } from './read.ts'

const id = '<draft.01@example.test>'

function draft(text: string, replaces: readonly number[] = [], at = 1) {
  return { message: readMessage(letter({ 'message-id': id }, text)), savedAt: second(at), replaces }
}

const save = (db: Db, ada: MailboxRef, draft: DraftToStore) => storeDraft(db, idKey, ada, draft, byOperator)

const testIt = await trials()

testIt('a draft is in its folder, read, marked as one, and recorded under its uid', async ({ ada, db }) => {
  const recorded: number[] = []
  const record = async (_: unknown, uid: number) => void recorded.push(uid)
  const uid = (await save(db, ada, { ...draft('One'), record })) ?? 0
  const stored = await readStored(db, ada, 'drafts', uid)
  assert.match(String(await rawOf(stored)), /One/)
  assert.deepEqual([stored?.summary.seen, stored?.summary.folder], [true, 'drafts'])
  assert.deepEqual(recorded, [uid])
  const { id: folderId } = await findFolder(db, ada, 'drafts')
  const marked = await db
    .selectFrom('mail_messages')
    .select('uid')
    .where('folder_id', '=', folderId)
    .where('draft', '=', true)
    .execute()
  assert.deepEqual(marked, [{ uid }])
})

testIt('an edited draft replaces the one before', async ({ ada, db, uids }) => {
  const first = (await save(db, ada, draft('One'))) ?? 0
  const second = (await save(db, ada, draft('Two', [first], 2))) ?? 0
  assert.ok(second > first)
  assert.deepEqual(await uids('drafts'), [second])
  assert.match(String(await rawOf(await readStored(db, ada, 'drafts', second))), /Two/)
})

testIt('a deleted draft is not replaced', async ({ ada, db, uids }) => {
  const first = (await save(db, ada, draft('One'))) ?? 0
  const second = (await save(db, ada, draft('Two', [first], 2))) ?? 0
  const record = () => assert.fail('recorded')
  assert.equal(await save(db, ada, { ...draft('Three', [first], 3), record }), undefined)
  assert.deepEqual(await uids('drafts'), [second])
})

testIt('of concurrent edits one replaces the draft, and its text stays', async ({ ada, db, uids }) => {
  const first = (await save(db, ada, draft('One'))) ?? 0
  const edits = await Promise.all(['A', 'B', 'C', 'D'].map((text) => save(db, ada, draft(text, [first], 2))))
  const won = edits.filter((uid) => uid !== undefined)
  assert.equal(won.length, 1)
  assert.deepEqual(await uids('drafts'), won)
})
