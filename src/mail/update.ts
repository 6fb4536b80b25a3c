import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import type { Change, MailboxRef, Place } from '#/ports/mail-host.ts'
import type { FolderKey, Held, Recording } from '#/ports/recording.ts'
import { applier, changed } from './changed.ts'
import { leave } from './expunge.ts'
import { type Folder, findFolder, lockFolders, makeFolders, refuseFolder, uidRows } from './folders.ts'
import { addKeywords, dropKeywords } from './keywords.ts'
import { mark } from './mark.ts'

/** Changes flags and keywords, or moves, and writes events, in one transaction. Messages that are in that state already keep
 *  their modification sequence. */
export async function update(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
  change: Change,
  by?: By,
  recording?: Recording,
): Promise<Map<number, Place>> {
  const { folder: targetName = name, ...flags } = change
  return db.transaction().execute(async (tx) => {
    if (targetName === name) {
      const folder = (await lockFolders(tx, mailbox, [name])).get(name) ?? (await refuseFolder(tx, mailbox, name))
      const { within } = recording ?? {}
      const marked = await mark(tx, mailbox, folder, uids, { change: flags, by, within })
      if (within) return new Map()
      await recording?.settle(tx, { mailbox, source: keyOf(folder), target: keyOf(folder), ...marked })
      return new Map(marked.present.map(({ uid }) => [uid, { folder: name, uid }]))
    }
    await makeTarget(tx, mailbox, name, uids, targetName)
    const folders = await lockFolders(tx, mailbox, [name, targetName])
    const source = folders.get(name) ?? (await refuseFolder(tx, mailbox, name))
    const present = await messagesIn(tx, source, uids)
    const target =
      folders.get(targetName) ?? (present.length > 0 ? await refuseFolder(tx, mailbox, targetName) : source)
    const pairs = await move(tx, source, target, present, applier(flags))
    await recording?.settle(tx, { mailbox, source: keyOf(source), target: keyOf(target), present, pairs })
    await appendEvents(tx, changed(mailbox, name, targetName, pairs), by)
    const moved = new Map(pairs.map(({ before, after }) => [before.uid, after.uid]))
    return new Map(present.map(({ uid }) => [uid, { folder: targetName, uid: moved.get(uid) ?? uid }]))
  })
}

function keyOf({ id, name }: Folder): FolderKey {
  return { name, key: id }
}

interface HeldRow extends Held {
  readonly received_at: Date
  readonly size_bytes: number
}

interface Pair {
  readonly before: HeldRow
  readonly after: HeldRow
}

type Apply = ReturnType<typeof applier>

/** Creates the target folder, if there is anything to move. */
async function makeTarget(tx: Tx, mailbox: MailboxRef, name: string, uids: readonly number[], target: string) {
  const source = await findFolder(tx, mailbox, name)
  const { rows } = await sql`
    select from ${uidRows(source.id, uids)} wanted join mail_messages using (folder_id, uid) limit 1`.execute(tx)
  if (rows.length > 0) await makeFolders(tx, [{ mailbox, name: target }])
}

/** In ascending uid. Their folder is locked, so nothing changes them. */
async function messagesIn(tx: Tx, folder: Folder, uids: readonly number[]): Promise<HeldRow[]> {
  const { rows } = await sql<HeldRow>`
    select uid, seen, flagged, keywords, received_at, size_bytes
    from ${uidRows(folder.id, uids)} wanted join mail_messages using (folder_id, uid) order by uid`.execute(tx)
  return rows
}

async function move(tx: Tx, source: Folder, target: Folder, before: readonly HeldRow[], apply: Apply): Promise<Pair[]> {
  if (before.length === 0) return []
  const after = before.map((message, index) => ({ ...apply(message), uid: target.uid_next + index }))
  await write(tx, source, target, before, after)
  await dropKeywords(tx, source.id, before)
  await addKeywords(tx, target.id, after)
  await leave(tx, source, before)
  await sql`
    update mail_folders set
      uid_next = ${target.uid_next + after.length},
      modseq = ${target.modseq + 1},
      total = total + ${after.length}::integer,
      unread = unread + ${unreadIn(after)}::integer,
      size_bytes = size_bytes + ${after.reduce((sum, { size_bytes }) => sum + size_bytes, 0)}::bigint
    where id = ${target.id}`.execute(tx)
  return after.flatMap((one, index) => ({ before: before[index] ?? one, after: one }))
}

/** `after` is the messages of `before` once changed, in the same order. */
async function write(tx: Tx, source: Folder, target: Folder, before: readonly HeldRow[], after: readonly HeldRow[]) {
  const rows = after.map(({ uid, seen, flagged, keywords }, index) => {
    return { old_uid: before[index]?.uid, uid, seen, flagged, keywords }
  })
  await sql`
    with row as materialized (
      select ${source.id}::bigint as folder_id, row.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
        (old_uid bigint, uid bigint, seen boolean, flagged boolean, keywords text[])
    )
    update mail_messages message set
      folder_id = ${target.id},
      uid = row.uid,
      modseq = ${target.modseq + 1},
      seen = row.seen,
      flagged = row.flagged,
      keywords = row.keywords
    from row where message.folder_id = row.folder_id and message.uid = row.old_uid`.execute(tx)
}

function unreadIn(messages: readonly HeldRow[]): number {
  return messages.filter(({ seen }) => !seen).length
}
