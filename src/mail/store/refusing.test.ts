import assert from 'node:assert/strict'
import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { copy, refusal } from '#test/world/letters/letters.ts'
import { trials } from '#test/world/mail/trial.ts'
import { folderChanges } from './changes.ts'
import { expungeMessages } from './expunge.ts'
import { folderStatuses } from './folders.ts'
import { listMessages } from './list.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { readStored, readSummaries } from './read.ts'
import { updateMessages } from './update.ts'

const onFolder: readonly [string, (db: Db, mailbox: MailboxRef, folder: string) => Promise<unknown>][] = [
  ['list', (db, mailbox, folder) => listMessages(db, mailbox, folder, { limit: 1, page: 0 })],
  ['summaries', (db, mailbox, folder) => readSummaries(db, mailbox, folder, [1])],
  ['read', (db, mailbox, folder) => readStored(db, mailbox, folder, 1)],
  ['update', (db, mailbox, folder) => updateMessages(db, mailbox, folder, [1], { seen: true })],
  ['move', (db, mailbox, folder) => updateMessages(db, mailbox, folder, [1], { folder: 'trash' })],
  ['expunge', (db, mailbox, folder) => expungeMessages(db, mailbox, folder, [1])],
  ['changes', (db, mailbox, folder) => folderChanges(db, mailbox, folder, undefined)],
]

const testIt = await trials()

for (const [what, act] of onFolder) {
  testIt(`${what} refuses a folder that is not there`, async ({ db, ada }) => {
    await assert.rejects(act(db, ada, 'Nowhere'), refusal('folder'))
  })
  testIt(`${what} cannot reach into another organization`, async ({ ada, stranger, db, append }) => {
    await append(copy(stranger))
    const disguised = { ...stranger, organizationId: ada.organizationId }
    await assert.rejects(act(db, disguised, 'inbox'), (error) => error instanceof Refusal && error.code === 'not_found')
    assert.deepEqual((await folderStatuses(db, stranger))[0], { name: 'inbox', total: 1, unread: 1 })
    assert.deepEqual(await folderStatuses(db, disguised), [])
  })
}

testIt('no copy is stored in a mailbox of another organization', async ({ ada, stranger, db, append, uids }) => {
  const disguised = { ...stranger, organizationId: ada.organizationId }
  await assert.rejects(append(copy(ada), copy(disguised)), (error) => error instanceof Refusal)
  assert.deepEqual(await uids('inbox'), [])
  assert.equal((await folderStatuses(db, stranger))[0]?.total, 0)
})
