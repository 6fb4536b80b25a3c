import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { copyMessages } from '#/mail/store/copy.ts'
import { findFolder } from '#/mail/store/folders.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy, second } from '#test/world/letters/letters.ts'
import { newDomain, newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { indexFor } from './copied.ts'

const { db } = await databaseOfFile()

/** Rows of messages that were read in the transaction, by indexes or not. */
async function messagesRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::integer as read
    from (
      select 'mail_messages'::regclass as oid
      union all select indexrelid from pg_index where indrelid = 'mail_messages'::regclass
    ) read`.execute(tx)
  return rows[0]?.read ?? 0
}

test('to have copies of one message indexed for another mailbox takes work in proportion to their number', async () => {
  const work: number[] = []
  for (const count of [200, 400]) {
    const own = await newDomain(db)
    const [mailbox, other] = [await newMailbox(db, 'ada', own), await newMailbox(db, 'bob', own)]
    await storeCopies(db, [copy(mailbox, { receivedAt: second(0) })])
    const { id: folderId } = await findFolder(db, mailbox, 'inbox')
    const ref = { mailbox, folderId }
    const by = { kind: 'mail_program', id: null, name: '' } as const
    for (let there = 1; there < count; there *= 2) {
      const uids = Array.from({ length: Math.min(there, count - there) }, (_, index) => index + 1)
      await db.transaction().execute((tx) => copyMessages(tx, ref, uids, ref, by))
    }
    const all = Array.from({ length: count }, (_, index) => index + 1)
    await db.transaction().execute(async (tx) => {
      const before = await messagesRead(tx)
      await indexFor(tx, other, folderId, all)
      work.push((await messagesRead(tx)) - before)
    })
  }
  const [few = 0, many = 0] = work
  assert.ok(few >= 200 && many < 3 * few, `${few} and ${many} rows were read`)
})
