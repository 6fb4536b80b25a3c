import { sql } from 'kysely'
import { query } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import { deleted, type Named } from './changed.ts'
import {
  type Folder,
  type FolderRef,
  findFolder,
  lockFolderRefs,
  lockFolders,
  refuseFolder,
  uidRows,
} from './folders.ts'
import { dropKeywords, type Keyworded } from './keywords.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { expunged, lockWithSuccessors, succeed } from './succession.ts'

/** Modification sequences for which expunges are logged. A reader with an older state reads the folder again. */
const remembered = 10_000

/** A message that is removed from a folder. */
export interface Leaving {
  readonly uid: number
  readonly seen: boolean
  readonly size_bytes: number
}

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
  const all: number[] = []
  for (const some of await parted(db, await findFolder(db, mailbox, name), uids)) {
    const gone = await db.transaction().execute(async (tx) => {
      const gone = await expungeIn(tx, mailbox, name, some)
      const uids = gone.map(({ uid }) => uid)
      await record?.(tx, uids)
      await appendEvents(tx, deleted(mailbox, name, gone), by)
      return uids
    })
    all.push(...gone)
  }
  return all
}

/** Those that exist, in ascending order. Each part has one message, or at most so many bytes. */
async function parted(db: Db, folder: Folder, uids: readonly number[]): Promise<number[][]> {
  const { rows } = await sql<{ uid: number; size_bytes: number }>`
    select uid, size_bytes from ${uidRows(folder.id, uids)} wanted join mail_messages using (folder_id, uid)
    order by uid`.execute(db)
  return partsOf(rows)
}

/** Of messages in ascending order. */
export function partsOf(rows: readonly { readonly uid: number; readonly size_bytes: number }[]): number[][] {
  const parts: number[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const { uid, size_bytes } of rows) {
    bytes += size_bytes
    if (bytes > mostBytes) {
      parts.push([])
      bytes = size_bytes
    }
    parts.at(-1)?.push(uid)
  }
  return parts
}

/** A trigger on mail_messages updates their contents and the storage used. */
export async function expungeIn(tx: Tx, mailbox: MailboxRef, name: string, uids: readonly number[]): Promise<Named[]> {
  const folder = (await lockFolders(tx, mailbox, [name])).get(name) ?? (await refuseFolder(tx, mailbox, name))
  return await expungeFrom(tx, folder, uids)
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
    const rows = await query<{ uid: number; size_bytes: number }>(db)`
      select uid, message.size_bytes from mail_messages message
      where folder_id = ${folderId} and deleted and uid > ${after}
        and exists (select from mail_folders where id = ${folderId} and organization_id = ${mailbox.organizationId})
      order by uid limit ${mostMarked}`
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
  const rows = await query<{ uid: number }>(tx)`
    select uid from (
      select distinct ${folder.id}::bigint as folder_id, uid from unnest(${uids}::bigint[]) as uid
    ) wanted join mail_messages using (folder_id, uid)
    where deleted`
  const gone = await expungeFrom(
    tx,
    folder,
    rows.map(({ uid }) => uid),
  )
  await succeed(tx, successions)
  await appendEvents(tx, expunged({ mailbox: ref.mailbox, folder }, gone, successions), by)
  const own = successions.some(({ folderId }) => folderId === folder.id) ? 1 : 0
  return { gone: gone.length, modseq: folder.modseq + gone.length + own }
}

/** Deletes messages of a folder for good, whatever they bear, and writes events. Answers those that were there, in ascending order. Uids are
 *  never given again in a folder, whatever it is called by now. */
export async function expungeAt(tx: Tx, ref: FolderRef, uids: readonly number[], by?: By): Promise<Named[]> {
  const folder = (await lockFolderRefs(tx, ref))(ref)
  const gone = await expungeFrom(tx, folder, uids)
  await appendEvents(tx, deleted(ref.mailbox, folder.name, gone), by)
  return gone
}

/** From a locked folder. Answers those that were there, in ascending order. */
export async function expungeFrom(tx: Tx, folder: Folder, uids: readonly number[]): Promise<Named[]> {
  const { rows: gone } = await sql<Leaving & Keyworded & Named>`
    delete from mail_messages message using ${uidRows(folder.id, uids)} wanted
    where message.folder_id = wanted.folder_id and message.uid = wanted.uid
    returning message.uid, message.id, seen, size_bytes, received_at, keywords`.execute(tx)
  await dropKeywords(tx, folder.id, gone)
  await leave(tx, folder, gone)
  return gone.map(({ uid, id }) => ({ uid, id })).sort((one, other) => one.uid - other.uid)
}

/** Subtracts the messages from the counters of their locked folder, and logs each under a modification sequence of its own. */
export async function leave(tx: Tx, folder: Folder, gone: readonly Leaving[]): Promise<void> {
  if (gone.length === 0) return
  const modseq = folder.modseq + gone.length
  await sql`
    with logged as (
      insert into mail_expunged (folder_id, modseq, uid)
      select ${folder.id}, ${folder.modseq} + place, uid
      from unnest(${gone.map(({ uid }) => uid)}::bigint[]) with ordinality as gone (uid, place)
    ), forgotten as (
      delete from mail_expunged where folder_id = ${folder.id} and modseq <= ${modseq - remembered}
    )
    /* announced */ update mail_folders set
      modseq = ${modseq},
      expunged_from = greatest(expunged_from, ${modseq - remembered}),
      total = total - ${gone.length}::integer,
      unread = unread - ${gone.filter(({ seen }) => !seen).length}::integer,
      size_bytes = size_bytes - ${gone.reduce((sum, { size_bytes }) => sum + size_bytes, 0)}::bigint
    where id = ${folder.id}`.execute(tx)
}
