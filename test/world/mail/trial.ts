import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#/base/db/schema.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import { type ListQuery, listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { newDomain, newMailbox, storeCopies } from './mailboxes.ts'

/** New mailboxes, two of one organization and one of another, and short names for what is done with them. */
export interface Trial {
  readonly db: Db
  readonly ada: MailboxRef
  readonly bob: MailboxRef
  readonly stranger: MailboxRef
  append(...copies: Copy[]): Promise<void>
  /** Ada's uids in the order of the list. */
  uids(folder: string, query?: Partial<ListQuery>): Promise<number[]>
}

/** Adds a test that starts with empty mailboxes. */
export type TestIt = (what: string, work: (trial: Trial) => Promise<void>) => void

/** For all tests of a file, on one database. */
export async function trials(): Promise<TestIt> {
  const { db } = await databaseOfFile()
  return (what, work) => {
    test(what, async () => work(await newTrial(db)))
  }
}

export async function newTrial(db: Db): Promise<Trial> {
  const own = await newDomain(db)
  const [ada, bob] = [await newMailbox(db, 'ada', own), await newMailbox(db, 'bob', own)]
  return {
    ...{ db, ada, bob, stranger: await newMailbox(db, 'ada') },
    append: (...copies) => storeCopies(db, copies),
    async uids(folder, query = {}) {
      const { total, messages } = await listMessages(db, ada, folder, { limit: 100, page: 0, ...query })
      assert.equal(total, messages.length)
      return messages.map(({ uid }) => uid)
    },
  }
}
