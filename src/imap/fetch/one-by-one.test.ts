// On both databases: the planner decides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { type FolderRef, findFolder } from '#/mail/store/folders.ts'
import { storeFlags } from '#/mail/store/store-flags.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { readContents } from './contents.ts'
import { readRows } from './rows.ts'

const { db } = await databaseOfFile()
/** Of fewer, an index is as good as another. */
const messages = 2_000
const times = 40
const by = { kind: 'mail_program', id: null, name: '' } as const
const extent = { whole: 65_536, head: 16_384, structure: false }

/** What a program does that goes through a mailbox message by message, and a part of the text of its statement. */
const kinds: readonly [string, (tx: Tx, at: FolderRef, uid: number) => Promise<unknown>, string][] = [
  ['a message is read', (tx, at, uid) => readContents(tx, at, [uid], extent), '%wanted_octets%'],
  [
    'two far from each other',
    (tx, at, uid) => readRows(tx, at, [uid, uid + 60], true),
    '%wanted join mail_messages using%',
  ],
  ['one is marked', (tx, at, uid) => storeFlags(tx, at, [uid], { flagged: true }, by), '%with present as%'],
]

for (const [what, work, part] of kinds)
  for (const statistics of ['no', 'fresh'])
    test(`as ${what}, again and again, the plan is kept and reads few rows, with ${statistics} statistics`, async () => {
      const mailbox = await newMailbox(db, 'ada')
      await storeCopies(
        db,
        Array.from({ length: messages }, () => copy(mailbox)),
      )
      const at = { mailbox, folderId: (await findFolder(db, mailbox, 'inbox')).id }
      if (statistics === 'fresh') await sql`analyze`.execute(db)
      await db.transaction().execute(async (tx) => {
        const counted = async () => {
          const { rows } = await sql<{ plans: number; read: number }>`
            select (select sum(custom_plans)::integer from pg_prepared_statements where statement like ${part}) as plans,
              (select idx_tup_fetch::integer from pg_stat_xact_user_tables where relname = 'mail_messages') as read`.execute(
            tx,
          )
          return rows[0] ?? { plans: 0, read: 0 }
        }
        // A statement is named after some times, and has a plan to keep after some more.
        for (let uid = 1; uid <= 20; uid++) await work(tx, at, uid)
        const before = await counted()
        for (let uid = 21; uid < 21 + times; uid++) await work(tx, at, uid)
        const after = await counted()
        assert.equal(after.plans, before.plans)
        assert.ok(after.read - before.read <= 4 * times, `${after.read - before.read} rows were read`)
      })
    })
