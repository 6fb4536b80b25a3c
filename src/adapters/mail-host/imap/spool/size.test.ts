// On both databases: two connections change one mailbox's size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/mime/message.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { copy, letter } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { enqueue, fullShares } from './enqueue.ts'
import { claim, discard, drop } from './queries.ts'

const database = await databaseOfFile()

async function mailbox(): Promise<MailboxRef> {
  return await newMailbox(database.db, { open: async () => {} }, await newDomain(database.db), 'ada')
}

const message = readMessage(letter({}, 'x'.repeat(9_000)))

/** Takes on so many, of which there may be so many bytes already. */
function take(to: MailboxRef, count: number, mostBytes = 2 ** 30): Promise<void> {
  return takeFor(Array(count).fill(to), mostBytes)
}

function takeFor(mailboxes: readonly MailboxRef[], mostBytes: number): Promise<void> {
  const copies = mailboxes.map((to) => copy(to, { message }))
  return database.db.transaction().execute((tx) => enqueue(tx, copies, mostBytes))
}

/** Of an organization, as it is counted. */
async function sizeOf({ organizationId }: MailboxRef): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from mail_spool_organizations
    where organization_id = ${organizationId}`.execute(database.db)
  return rows[0]?.bytes ?? 0
}

/** As it is counted. */
async function size(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select sum(bytes)::bigint as bytes from mail_spool_shares`.execute(
    database.db,
  )
  return rows[0]?.bytes ?? 0
}

test('the size of the spool is counted through every change of its mail', async () => {
  const { db } = database
  const [ada, bob, cy] = [await mailbox(), await mailbox(), await mailbox()]
  await take(ada, 3)
  await take(bob, 700)
  await take(cy, 2)
  assert.equal(await size(), 705 * message.raw.length)
  const each = async () => [await sizeOf(ada), await sizeOf(bob), await sizeOf(cy)].map((of) => of / message.raw.length)
  assert.deepEqual(await each(), [3, 700, 2])
  await assert.rejects(take({ ...ada, mailboxId: ada.organizationId }, 5))
  assert.equal(await size(), 705 * message.raw.length)
  const claimed = (await claim(db, ada)).map((one) => ({ ...one, uid: null, isOurs: true }))
  await db.transaction().execute((tx) => drop(tx, ada, claimed))
  while ((await discard(db, bob)) > 0) {}
  assert.equal(await size(), 2 * message.raw.length)
  assert.deepEqual(await each(), [0, 0, 2])
  await db.deleteFrom('mailboxes').where('id', '=', cy.mailboxId).execute()
  assert.equal(await size(), 0)
  assert.deepEqual(await each(), [0, 0, 0])
})

test('an organization may spool as much mail as is free, so that others always have room', async () => {
  const [ada, bob, cy] = [await mailbox(), await mailbox(), await mailbox()]
  const most = 20 * message.raw.length
  const isFull = { code: 'ENOSPC', organizationIds: new Set([ada.organizationId]) }
  await take(ada, 10, most)
  await take(ada, 1, most)
  await assert.rejects(take(ada, 1, most), isFull)
  assert.deepEqual(await fullShares(database.db, most), new Set([ada.organizationId]))
  for (let count = 0; count < 4; count++) await take(bob, 1, most)
  await assert.rejects(takeFor([bob, ada], most), isFull)
  // However full it is, who has nothing waiting is taken something of.
  await take(bob, 30, 2 ** 30)
  await take(cy, 1, most)
  for (const each of [ada, bob, cy]) while ((await discard(database.db, each)) > 0) {}
  assert.deepEqual(await fullShares(database.db, most), new Set())
})

test('an organization’s counters are deleted with it', async () => {
  const ada = await mailbox()
  await take(ada, 1)
  await database.db.deleteFrom('organizations').where('id', '=', ada.organizationId).execute()
  assert.equal(await sizeOf(ada), 0)
  assert.equal(await size(), 0)
})

test('mail is accepted until the limit is reached, and again below it', async () => {
  const ada = await mailbox()
  await take(ada, 2, message.raw.length)
  await assert.rejects(take(ada, 1, message.raw.length), { code: 'ENOSPC' })
  await discard(database.db, ada)
  await take(ada, 1, message.raw.length)
  await discard(database.db, ada)
})

// The embedded database has one transaction at a time.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('storing mail waits neither for that of another organization nor for a delivery', async () => {
    const [ada, bob, cy] = [await mailbox(), await mailbox(), await mailbox()]
    await take(cy, 1)
    await database.db.transaction().execute(async (tx) => {
      await enqueue(tx, [copy(ada, { message })], 2 ** 30)
      await take(bob, 1)
      await discard(database.db, cy)
      await take(bob, 1)
    })
    assert.equal(await size(), 3 * message.raw.length)
    for (const each of [ada, bob]) await discard(database.db, each)
    assert.equal(await size(), 0)
  })
}
