import assert from 'node:assert/strict'
import { readMessage } from '#/formats/mime/read-message.ts'
import { copy, letter } from '#test/world/letters/letters.ts'
import { trials } from '#test/world/mail/trial.ts'
import { emptyMailbox } from './empty.ts'
import { folderStatuses } from './folders.ts'
import { listMessages } from './list.ts'
import { storageOf, storageUsed } from './storage.ts'

const testIt = await trials()

testIt('a mailbox is emptied in steps, in all its folders, and other mailboxes keep theirs', async (trial) => {
  const { ada, bob, db, append } = trial
  const message = readMessage(letter({}))
  const shared = [ada, bob].map((mailbox) => copy(mailbox, { message }))
  const many = Array.from({ length: 600 }, () => copy(ada, { keywords: ['k'] }))
  await append(...shared, ...many, copy(ada, { folder: 'Projects/Apollo' }), copy(ada, { folder: 'trash' }))
  const before = await storageUsed(db, ada.organizationId)
  const steps = await Array.fromAsync(emptyMailbox(db, ada))
  assert.equal(steps.at(-1), 603)
  assert.ok(steps.length > 3, String(steps))
  assert.deepEqual(
    steps.toSorted((a, b) => a - b),
    steps,
  )
  for (const { name, total, unread } of await folderStatuses(db, ada)) assert.deepEqual([total, unread], [0, 0], name)
  const used = await storageOf(db, [ada, bob])
  assert.deepEqual([used.get(ada.mailboxId), used.get(bob.mailboxId)], [0, message.raw.length])
  assert.equal(await storageUsed(db, ada.organizationId), message.raw.length)
  assert.ok(before > message.raw.length)
  assert.equal((await listMessages(db, bob, 'inbox', { limit: 1, page: 0 })).total, 1)
  assert.deepEqual(await Array.fromAsync(emptyMailbox(db, ada)), [])
})

testIt('interrupted emptying continues where it was', async ({ ada, db, append, uids }) => {
  await append(...Array.from({ length: 600 }, () => copy(ada)))
  for await (const gone of emptyMailbox(db, ada)) {
    assert.ok(gone < 600)
    break
  }
  const { total } = await listMessages(db, ada, 'inbox', { limit: 1, page: 0 })
  assert.ok(total > 0 && total < 600)
  const steps = await Array.fromAsync(emptyMailbox(db, ada))
  assert.equal(steps.at(-1), total)
  assert.deepEqual(await uids('inbox'), [])
})

testIt('emptying cannot reach into another organization', async ({ ada, stranger, db, append }) => {
  await append(copy(stranger))
  assert.deepEqual(await Array.fromAsync(emptyMailbox(db, { ...stranger, organizationId: ada.organizationId })), [])
  assert.equal((await listMessages(db, stranger, 'inbox', { limit: 1, page: 0 })).total, 1)
})
