// On both databases: two connections append to one folder.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { databaseOfFile } from '#test/world/database/database.ts'
import { whileHeld } from '#test/world/database/while-held.ts'
import { copy } from '#test/world/letters/letters.ts'
import { idKey, newDomain, newMailbox } from '#test/world/mail/mailboxes.ts'
import { appendNew } from './append.ts'
import type { Arrival } from './arrivals.ts'
import { noteArrivals } from './arrivals.ts'
import { listMessages } from './list.ts'
import type { MailboxRef } from './mailbox-ref.ts'

const { db, commits } = await databaseOfFile()

async function twoMailboxes(): Promise<[MailboxRef, MailboxRef]> {
  const domain = await newDomain(db)
  return [await newMailbox(db, 'ada', domain), await newMailbox(db, 'bob', domain)]
}

function arrivalAt({ mailboxId }: MailboxRef): Arrival {
  return { mailboxId, digest: randomBytes(32) }
}

/** All that a batch may write, as text. */
async function written(): Promise<unknown> {
  const { rows } = await sql`
    select (select json_agg(arrivals order by mailbox_id, digest) from arrivals) as arrivals,
      (select json_agg(folder order by id) from mail_folders folder) as folders,
      (select count(*) from mail_messages) as messages, (select count(*) from mail_contents) as contents,
      (select count(*) from mail_search_queue) as queued, (select count(*) from events) as events,
      (select json_agg(usage order by organization_id) from organization_usage usage) as usage`.execute(db)
  return rows
}

test('arriving mail is stored with its arrivals, and what has arrived before changes nothing', async () => {
  const [ada, bob] = await twoMailboxes()
  const arrivals = [arrivalAt(ada), arrivalAt(bob)]
  assert.equal(await appendNew(db, idKey, [copy(ada), copy(bob)], arrivals), true)
  for (const mailbox of [ada, bob])
    assert.equal((await listMessages(db, mailbox, 'inbox', { limit: 10, page: 0 })).messages.length, 1)
  const before = await written()
  const [known] = arrivals
  assert.equal(await appendNew(db, idKey, [copy(ada), copy(bob)], known ? [known, arrivalAt(bob)] : []), false)
  assert.deepEqual(await written(), before)
})

test('what arrived more than seven days ago is stored again', async () => {
  const [ada] = await twoMailboxes()
  const arrival = arrivalAt(ada)
  assert.equal(await appendNew(db, idKey, [copy(ada)], [arrival]), true)
  await sql`update arrivals set arrived_at = now() - interval '8 days' where digest = ${arrival.digest}`.execute(db)
  assert.equal(await appendNew(db, idKey, [copy(ada)], [arrival]), true)
  assert.equal(await appendNew(db, idKey, [copy(ada)], [arrival]), false)
})

for (const [what, change] of [
  ['a mailbox is suspended', sql`update mailboxes set suspended_at = now() where id =`],
  [
    'a domain is suspended',
    sql`update domains set suspended_at = now() from mailboxes box where box.domain_id = domains.id and box.id =`,
  ],
  ['a folder is missing', sql`delete from mail_folders where name = 'inbox' and mailbox_id =`],
] as const) {
  test(`where ${what}, nothing is written`, async () => {
    const [ada, bob] = await twoMailboxes()
    await sql`${change} ${bob.mailboxId}`.execute(db)
    const before = await written()
    assert.equal(await appendNew(db, idKey, [copy(ada), copy(bob)], [arrivalAt(ada), arrivalAt(bob)]), false)
    assert.deepEqual(await written(), before)
  })
}

test('its commit is announced, and that of a batch that is not stored is not needed', async () => {
  const [ada] = await twoMailboxes()
  let announced = 0
  commits.on('announced', () => announced++)
  assert.equal(await appendNew(db, idKey, [copy(ada)], [arrivalAt(ada)]), true)
  assert.equal(announced, 1)
})

// Another transaction needs a connection of its own.
if (process.env.TEST_DATABASE_URL !== undefined) {
  test('where another transaction records an arrival meanwhile, nothing is written', async () => {
    const [ada, bob] = await twoMailboxes()
    const arrivals = [arrivalAt(ada), arrivalAt(bob)] as const
    const before = await countsOf(ada)
    const result = await whileHeld(
      db,
      (tx) => noteArrivals(tx, [arrivals[1]]),
      () => appendNew(db, idKey, [copy(ada), copy(bob)], arrivals),
    )
    assert.equal(result, false)
    assert.deepEqual(await countsOf(ada), before)
    assert.deepEqual(await noted(arrivals), [bob.mailboxId])
  })

  test('where another transaction removes a folder meanwhile, nothing is written', async () => {
    const [ada, bob] = await twoMailboxes()
    const arrivals = [arrivalAt(ada), arrivalAt(bob)]
    const before = await countsOf(ada)
    const result = await whileHeld(
      db,
      (tx) => sql`delete from mail_folders where mailbox_id = ${bob.mailboxId} and name = 'inbox'`.execute(tx),
      () => appendNew(db, idKey, [copy(ada), copy(bob)], arrivals),
    )
    assert.equal(result, false)
    assert.deepEqual(await countsOf(ada), before)
    assert.deepEqual(await noted(arrivals), [])
  })
}

async function noted(arrivals: readonly Arrival[]): Promise<string[]> {
  const digests = arrivals.map(({ digest }) => digest)
  const { rows } = await sql<{ mailbox_id: string }>`
    select mailbox_id from arrivals where digest = any (${digests}::bytea[])`.execute(db)
  return rows.map((row) => row.mailbox_id)
}

/** The counters of the folders of a mailbox, and of its organization. */
async function countsOf({ mailboxId, organizationId }: MailboxRef): Promise<unknown> {
  const { rows } = await sql`
    select json_agg(folder order by id) as folders,
      (select storage_bytes from organization_usage where organization_id = ${organizationId}) as used
    from mail_folders folder where mailbox_id = ${mailboxId}`.execute(db)
  return rows
}
