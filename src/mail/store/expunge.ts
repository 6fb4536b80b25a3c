import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'
import { type By, insertNewEventsBy, newEvents } from '#/base/event-log/append.ts'
import { left } from './counted.ts'
import { type Folder, type FolderAt, type FolderRef, findFolder, lockFolders, type Named, uidRows } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { expungedEvents, gone, lockWithSuccessors, type Succession, succeed } from './succession.ts'

/** Bytes in one transaction, which blocks the embedded database: large messages have many rows. */
export const mostBytes = 64 << 20

/** Deletes messages for good, large ones in parts, and writes events. Answers the uids that were there, in ascending order. `record` gets
 *  them in the transactions that delete them, one of which is enough unless messages are very large. */
export async function expungeMessages(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
  by?: By,
  record?: (tx: Tx, gone: readonly number[]) => Promise<void>,
): Promise<number[]> {
  const { id: folderId } = await findFolder(db, mailbox, name)
  const { rows } = await sql<Sized>`
    select uid, size_bytes from ${uidRows(folderId, uids)} wanted join mail_messages using (folder_id, uid) order by uid`.execute(
    db,
  )
  const all: number[] = []
  await expungeParts(db, { mailbox, folderId }, rows, by, async (tx, gone) => {
    const uids = gone.map(({ uid }) => uid)
    all.push(...uids)
    await record?.(tx, uids)
  })
  return all
}

type Sized = { readonly uid: number; readonly size_bytes: number }

/** Deletes messages, in ascending order, in transactions of at most so many bytes or of one message each, which `record` shares. */
export async function expungeParts(
  db: Db,
  ref: FolderRef,
  messages: readonly Sized[],
  by: By | undefined,
  record: (tx: Tx, gone: readonly Named[]) => Promise<void>,
): Promise<void> {
  for (const uids of partsOf(messages))
    await db.transaction().execute(async (tx) => record(tx, await expungeAt(tx, ref, uids, by)))
}

function partsOf(messages: readonly Sized[]): number[][] {
  const parts: number[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const { uid, size_bytes } of messages) {
    bytes += size_bytes
    if (bytes > mostBytes) {
      parts.push([])
      bytes = size_bytes
    }
    parts.at(-1)?.push(uid)
  }
  return parts
}

/** Messages that one transaction deletes for a mail program, and messages that are looked at at a time. */
const mostMarked = 500

/** The uids of those messages of a folder that bear `\Deleted`, in ascending order and in parts, each for a transaction. */
export async function* markedDeleted(
  db: Db,
  { mailbox, folderId }: FolderRef,
  isMeant: (uid: number) => boolean = () => true,
): AsyncGenerator<number[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ uid: number; size_bytes: number }>`
      select uid, message.size_bytes from mail_messages message
      where folder_id = ${folderId} and deleted and uid > ${after}
        and exists (select from mail_folders where id = ${folderId} and organization_id = ${mailbox.organizationId})
      order by uid limit ${mostMarked}`.execute(short(db))
    yield* partsOf(rows.filter(({ uid }) => isMeant(uid)))
    const last = rows.at(-1)
    if (!last || rows.length < mostMarked) return
    after = last.uid
  }
}

/** Deletes for good those of the messages that still bear `\Deleted`, and writes events. A copy that was made to move a message takes over its
 *  id. Answers their number, and the modification sequence that the folder has then. */
export async function expungeMarked(
  tx: Tx,
  ref: FolderRef,
  uids: readonly number[],
  by: By,
): Promise<{ readonly gone: number; readonly modseq: number }> {
  const { folder, successions } = await lockWithSuccessors(tx, ref, uids)
  const { length: gone } = await expungeFrom(tx, ref.mailbox, folder, uids, { by, isMarked: true, successions })
  await succeed(tx, successions)
  const own = successions.some(({ folderId }) => folderId === folder.id) ? 1 : 0
  return { gone, modseq: folder.modseq + gone + own }
}

/** Deletes messages of a folder for good, whatever they bear, and writes events. Answers those that were there, in ascending order. Uids are
 *  never given again in a folder, whatever it is called by now. */
export async function expungeAt(tx: Tx, at: FolderAt, uids: readonly number[], by?: By): Promise<Named[]> {
  return await expungeFrom(tx, at.mailbox, (await lockFolders(tx, at))(at), uids, { by })
}

interface Expunging {
  readonly by?: By | undefined
  /** Only those that bear `\Deleted`. */
  readonly isMarked?: boolean
  readonly successions?: readonly Succession[]
  /** Whether others are told by another event. */
  readonly isSilent?: boolean
}

/** The same from a locked folder. A trigger on mail_messages updates their contents and the storage used. */
export async function expungeFrom(
  tx: Tx,
  { organizationId, mailboxId }: MailboxRef,
  folder: Folder,
  uids: readonly number[],
  { by, isMarked = false, successions = [], isSilent = false }: Expunging = {},
): Promise<Named[]> {
  const { rows } = await sql<Named>`
    with ${gone.rows} as (
      delete from mail_messages message using ${uidRows(folder.id, uids)} wanted
      where message.folder_id = wanted.folder_id and message.uid = wanted.uid and (message.deleted or not ${isMarked}::boolean)
      returning message.uid, message.id, seen, size_bytes, received_at, keywords
    ), ${left(folder, gone)}, ${newEvents.rows} as (
      select ${organizationId}::uuid as organization_id, type, ${mailboxId}::uuid as mailbox_id, data
      from (${expungedEvents(folder, successions)}) event where not ${isSilent}::boolean
    ), logged as (${insertNewEventsBy(by)})
    select uid, id from gone order by uid`.execute(tx)
  return rows
}
