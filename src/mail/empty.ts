import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { expungeIn, mostBytes } from './expunge.ts'
import { folderStatuses } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'

/** Messages in one transaction. Meanwhile it blocks the embedded database, and on a server the folder. */
const mostMessages = 500

/** Deletes all messages of a mailbox for good, folder by folder in bounded batches, and yields after each how many are deleted. Writes no events, since the
 *  deletion of the mailbox has one. */
export async function* emptyMailbox(db: Db, mailbox: MailboxRef): AsyncGenerator<number> {
  let gone = 0
  for (const { name } of await folderStatuses(db, mailbox)) {
    for (;;) {
      const uids = await lowestUids(db, mailbox, name)
      if (uids.length === 0) break
      gone += await db.transaction().execute(async (tx) => (await expungeIn(tx, mailbox, name, uids)).length)
      yield gone
    }
  }
}

async function lowestUids(db: Db, { organizationId, mailboxId }: MailboxRef, name: string): Promise<number[]> {
  const { rows } = await sql<{ uid: number }>`
    select uid from (
      select uid, sum(size_bytes) over (order by uid) - size_bytes as before
      from (
        select message.uid, message.size_bytes
        from mail_folders folder join mail_messages message on message.folder_id = folder.id
        where folder.organization_id = ${organizationId} and folder.mailbox_id = ${mailboxId} and folder.name = ${name}
        order by message.uid limit ${mostMessages}
      ) lowest
    ) summed
    where before < ${mostBytes}`.execute(db)
  return rows.map(({ uid }) => uid)
}
