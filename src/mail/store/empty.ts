import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { expungeFrom, mostBytes } from './expunge.ts'
import { folderStates, lockFolders } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'

/** Messages in one transaction. Meanwhile it blocks the embedded database, and on a server the folder. */
const mostMessages = 500

/** Deletes all messages of a mailbox for good, folder by folder in bounded batches, and yields after each how many are deleted. Writes no events, since the
 *  deletion of the mailbox has one. */
export async function* emptyMailbox(db: Db, mailbox: MailboxRef): AsyncGenerator<number> {
  let gone = 0
  for (const { state } of await folderStates(db, mailbox)) {
    const ref = { mailbox, folderId: state.uidValidity }
    for (;;) {
      const uids = await lowestUids(db, ref.folderId)
      if (uids.length === 0) break
      gone += await db.transaction().execute(async (tx) => {
        const folder = (await lockFolders(tx, ref))(ref)
        return (await expungeFrom(tx, mailbox, folder, uids, { isSilent: true })).length
      })
      yield gone
    }
  }
}

async function lowestUids(db: Db, folderId: number): Promise<number[]> {
  const { rows } = await sql<{ uid: number }>`
    select uid from (
      select uid, sum(size_bytes) over (order by uid) - size_bytes as before
      from (select uid, size_bytes from mail_messages where folder_id = ${folderId} order by uid limit ${mostMessages}) lowest
    ) summed
    where before < ${mostBytes}`.execute(db)
  return rows.map(({ uid }) => uid)
}
