// On both databases: connections remove the copies of one message at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/formats/mime/read-message.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy, letter, rawOf } from '#test/world/letters/letters.ts'
import { newDomain, newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { folderChanges } from './changes.ts'
import type { Copy } from './copy-to-append.ts'
import { expungeMessages } from './expunge.ts'
import { listMessages } from './list.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { readStored, readSummaries } from './read.ts'
import { storageUsed } from './storage.ts'
import { updateMessages } from './update.ts'

const { db } = await databaseOfFile()

test('copies of one message share its bytes within an organization, until the last one is deleted', async () => {
  const domain = await newDomain(db)
  const [ada, bob] = [await newMailbox(db, 'ada', domain), await newMailbox(db, 'bob', domain)]
  const stranger = await newMailbox(db, 'ada')
  const message = readMessage(letter({}))
  await append(copy(ada, { message }), copy(bob, { message }), copy(bob, { message }), copy(stranger, { message }))
  assert.deepEqual(await contents(ada), [3])
  assert.deepEqual(await contents(stranger), [1])
  await expungeMessages(db, bob, 'inbox', [1, 2])
  await updateMessages(db, ada, 'inbox', [1], { folder: 'trash' })
  assert.deepEqual(await contents(ada), [1])
  await expungeMessages(db, ada, 'trash', [1])
  assert.deepEqual([await contents(ada), await contents(stranger)], [[], [1]])
})

test('two who expunge the last two copies at once leave nothing behind', async () => {
  const domain = await newDomain(db)
  const [ada, bob] = [await newMailbox(db, 'ada', domain), await newMailbox(db, 'bob', domain)]
  for (let round = 1; round <= 20; round++) {
    const message = readMessage(letter({}))
    await append(copy(ada, { message }), copy(bob, { message }))
    await Promise.all([expungeMessages(db, ada, 'inbox', [round]), expungeMessages(db, bob, 'inbox', [round])])
    assert.deepEqual(await contents(ada), [])
  }
  assert.equal(await storageUsed(db, ada.organizationId), 0)
})

test('large messages are expunged a part at a time, for which others need not wait long', async () => {
  const ada = await newMailbox(db, 'ada')
  await append(copy(ada), copy(ada), copy(ada), copy(ada))
  await sql`
    with folder as (
      update mail_folders set size_bytes = 1 << 30 where mailbox_id = ${ada.mailboxId} returning id
    ), used as (
      update organization_usage set storage_bytes = 1 << 30 where organization_id = ${ada.organizationId}
    )
    update mail_messages set size_bytes = case uid when 3 then 80 << 20 else 30 << 20 end
    from folder where folder_id = folder.id`.execute(db)
  assert.deepEqual(await expungeMessages(db, ada, 'inbox', [4, 3, 2, 1]), [1, 2, 3, 4])
  const { rows } = await sql<{ uids: number[] }>`
    select array_agg((data->>'uid')::integer order by position) as uids from events
    where mailbox_id = ${ada.mailboxId} and type = 'message.deleted'
    group by xmin::text order by min(position)`.execute(db)
  assert.deepEqual(
    rows.map(({ uids }) => uids),
    [[1, 2], [3], [4]],
  )
})

test('the mail of a deleted mailbox is deleted, and its storage is free', async () => {
  const domain = await newDomain(db)
  const [ada, bob] = [await newMailbox(db, 'ada', domain), await newMailbox(db, 'bob', domain)]
  const message = readMessage(letter({}))
  await append(copy(ada, { message, keywords: ['work'] }), copy(ada, { folder: 'junk' }), copy(bob, { message }))
  await expungeMessages(db, ada, 'junk', [1])
  await db.deleteFrom('mailboxes').where('id', '=', ada.mailboxId).execute()
  assert.deepEqual(await contents(bob), [1])
  assert.equal(await storageUsed(db, bob.organizationId), message.raw.length)
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from mail_keywords where folder_id not in (select id from mail_folders)) as keywords,
      (select count(*) from mail_keyword_totals where folder_id not in (select id from mail_folders)) as totals,
      (select count(*) from mail_expunged where folder_id not in (select id from mail_folders)) as expunged,
      (select count(*) from mail_messages where folder_id not in (select id from mail_folders)) as messages`.execute(db)
  assert.deepEqual(rows, [{ keywords: 0, totals: 0, expunged: 0, messages: 0 }])
})

test('a mailbox can be deleted while mail arrives in it, and nothing waits in a circle', async () => {
  const domain = await newDomain(db)
  const bob = await newMailbox(db, 'bob', domain)
  for (let round = 0; round < 8; round++) {
    const ada = await newMailbox(db, `ada${round}`, domain)
    const arrive = () => append(...['trash', 'inbox', 'junk'].map((folder) => copy(ada, { folder })), copy(bob))
    const arrivals = Promise.allSettled([arrive(), arrive(), arrive(), arrive()])
    await db.deleteFrom('mailboxes').where('id', '=', ada.mailboxId).execute()
    for (const result of await arrivals) {
      if (result.status === 'rejected') assert.match(`${result.reason}`, /No such mailbox|foreign key/)
    }
  }
  const held = await listMessages(db, bob, 'inbox', { limit: 100, page: 0 })
  assert.equal(
    await storageUsed(db, bob.organizationId),
    held.messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  )
})

test('a folder that is made again has a higher UIDVALIDITY, and its readers start afresh', async () => {
  const ada = await newMailbox(db, 'ada')
  await append(copy(ada, { folder: 'Later' }))
  const { state } = await folderChanges(db, ada, 'Later', undefined)
  await db.deleteFrom('mail_folders').where('mailbox_id', '=', ada.mailboxId).where('name', '=', 'Later').execute()
  await append(copy(ada, { folder: 'Later' }))
  const step = await folderChanges(db, ada, 'Later', state)
  assert.ok(step.reset && step.state.uidValidity > state.uidValidity)
  assert.equal(step.exists, 1)
})

test('the log of expunges is bounded, and a reader from before it starts afresh', async () => {
  const ada = await newMailbox(db, 'ada')
  await append(...Array.from({ length: 3 }, () => copy(ada)))
  const { state } = await folderChanges(db, ada, 'inbox', undefined)
  await expungeMessages(db, ada, 'inbox', [1])
  await db.updateTable('mail_folders').set({ modseq: 50_000 }).where('mailbox_id', '=', ada.mailboxId).execute()
  const { state: later } = await folderChanges(db, ada, 'inbox', state)
  await expungeMessages(db, ada, 'inbox', [2])
  const { rows } = await sql`
    select uid from mail_expunged join mail_folders on id = folder_id where mailbox_id = ${ada.mailboxId}`.execute(db)
  assert.deepEqual(rows, [{ uid: 2 }])
  const [old, recent] = [await folderChanges(db, ada, 'inbox', state), await folderChanges(db, ada, 'inbox', later)]
  assert.deepEqual([old.reset, [...old.rows.uid]], [true, [3]])
  assert.deepEqual([recent.reset, [...recent.expunged]], [false, [2]])
})

test('whatever is read in its header, a message is stored, and so are those stored with it', async () => {
  const ada = await newMailbox(db, 'ada')
  const odd = 'a\0b\ud800c\udfffd"\\u0000{}\'\u202e'
  const from = { name: odd, address: odd }
  const ids = { messageId: odd, threadRoot: odd, strong: [odd], weak: [odd] }
  const message = { ...readMessage(letter({})), ...ids, subject: odd, preview: odd, from, to: Array(500).fill(from) }
  await append(copy(ada), copy(ada, { message }), copy(ada, { message: readMessage(Buffer.alloc(0)) }))
  const [, second, empty] = await readSummaries(db, ada, 'inbox', [1, 2, 3])
  assert.match(second?.subject ?? '', /^a.?b.?c.?d"\\u0000\{\}'\u202e$/s)
  assert.equal(second?.to.length, 100)
  assert.deepEqual([empty?.subject, empty?.from, empty?.to, empty?.sizeBytes], ['', null, [], 0])
})

test('a batch larger than one statement takes is stored whole', async () => {
  const ada = await newMailbox(db, 'ada')
  const large = Array.from({ length: 3 }, (_, index) => readMessage(letter({}, 'x'.repeat((15 << 20) + index))))
  await append(...large.map((message) => copy(ada, { message })))
  const sizes = (await readSummaries(db, ada, 'inbox', [1, 2, 3])).map(({ sizeBytes }) => sizeBytes)
  assert.deepEqual(
    sizes,
    large.map(({ raw }) => raw.length),
  )
  assert.ok((await rawOf(await readStored(db, ada, 'inbox', 3)))?.equals(large[2]?.raw ?? Buffer.alloc(0)))
  assert.equal(
    await storageUsed(db, ada.organizationId),
    sizes.reduce((sum, size) => sum + size, 0),
  )
})

function append(...copies: Copy[]): Promise<void> {
  return storeCopies(db, copies)
}

test('no piece of a deleted large message stays', async () => {
  const ada = await newMailbox(db, 'ada')
  const message = readMessage(letter({}, 'x'.repeat(3 << 20)))
  await append(copy(ada, { message }), copy(ada, { message }), copy(ada))
  assert.deepEqual(await contents(ada), [2, 1])
  const pieces = async () => (await db.selectFrom('mail_pieces').selectAll().execute()).length
  const before = await pieces()
  await expungeMessages(db, ada, 'inbox', [1, 3])
  assert.equal(await pieces(), before)
  await expungeMessages(db, ada, 'inbox', [2])
  assert.equal(await pieces(), before - 4)
})

/** How many copies each content of the organization has. */
async function contents({ organizationId }: MailboxRef): Promise<number[]> {
  const rows = await db
    .selectFrom('mail_contents')
    .select('copies')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  return rows.map(({ copies }) => copies)
}
