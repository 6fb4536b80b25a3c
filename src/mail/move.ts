import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import { type applier, changed, deleted } from './changed.ts'
import type { CopiedTo } from './copy.ts'
import { leave } from './expunge.ts'
import { type Folder, type FolderRef, lockFolderRefs, uidRows } from './folders.ts'
import { addKeywords, dropKeywords } from './keywords.ts'
import { logStored } from './received.ts'
import type { Held } from './recording.ts'
import { indexFor } from './search/copied.ts'

/** Moves messages to a folder of the same mailbox or of another one, and writes events. A message keeps its id within a mailbox; in
 *  another it is a new one, and is deleted here. One in the folder already stays as it is. Answers also the modification sequence that the
 *  folder has then. */
export async function moveMessages(
  tx: Tx,
  from: FolderRef,
  uids: readonly number[],
  to: FolderRef,
  by: By,
): Promise<CopiedTo & { readonly modseq: number }> {
  const folders = await lockFolderRefs(tx, from, to)
  const [source, target] = [folders(from), folders(to)]
  const present = await messagesIn(tx, source, uids)
  if (source.id === target.id) {
    const same = present.map(({ uid }) => uid)
    return { from: same, to: same, modseq: source.modseq }
  }
  const isElsewhere = from.mailbox.mailboxId !== to.mailbox.mailboxId
  if (isElsewhere) await indexFor(tx, to.mailbox, source.id, uids)
  const pairs = await move(tx, source, target, present, { apply: (message) => message, isElsewhere })
  const moved = { from: pairs.map(({ before }) => before.uid), to: pairs.map(({ after }) => after.uid) }
  if (isElsewhere) {
    await appendEvents(tx, deleted(from.mailbox, source.name, present), by)
    await logStored(tx, { ...to, name: target.name }, moved.to, by)
  } else await appendEvents(tx, changed(from.mailbox, source.name, target.name, pairs), by)
  return { ...moved, modseq: source.modseq + pairs.length }
}

export interface HeldRow extends Held {
  readonly id: number
  readonly received_at: Date
  readonly size_bytes: number
}

interface Pair {
  readonly before: HeldRow
  readonly after: HeldRow
}

interface Moved {
  readonly apply: ReturnType<typeof applier>
  /** To another mailbox, where it is another message. */
  readonly isElsewhere: boolean
}

/** In ascending uid. Their folder is locked, so nothing changes them. */
export async function messagesIn(tx: Tx, folder: Folder, uids: readonly number[]): Promise<HeldRow[]> {
  const { rows } = await sql<HeldRow>`
    select uid, id, seen, flagged, keywords, received_at, size_bytes
    from ${uidRows(folder.id, uids)} wanted join mail_messages using (folder_id, uid) order by uid`.execute(tx)
  return rows
}

/** Between two locked folders. */
export async function move(
  tx: Tx,
  source: Folder,
  target: Folder,
  before: readonly HeldRow[],
  { apply, isElsewhere }: Moved,
): Promise<Pair[]> {
  if (before.length === 0) return []
  const after = before.map((message, index) => ({ ...apply(message), uid: target.uid_next + index }))
  await write(tx, source, target, before, after, isElsewhere)
  await dropKeywords(tx, source.id, before)
  await addKeywords(tx, target.id, after)
  await leave(tx, source, before)
  await sql`
    /* announced */ update mail_folders set
      uid_next = ${target.uid_next + after.length},
      modseq = ${target.modseq + 1},
      total = total + ${after.length}::integer,
      unread = unread + ${after.filter(({ seen }) => !seen).length}::integer,
      size_bytes = size_bytes + ${after.reduce((sum, { size_bytes }) => sum + size_bytes, 0)}::bigint
    where id = ${target.id}`.execute(tx)
  return after.flatMap((one, index) => ({ before: before[index] ?? one, after: one }))
}

/** `after` is the messages of `before` once changed, in the same order. */
async function write(
  tx: Tx,
  source: Folder,
  target: Folder,
  before: readonly HeldRow[],
  after: readonly HeldRow[],
  isElsewhere: boolean,
) {
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
      id = case when ${isElsewhere} then nextval('mail_messages_id_seq') else message.id end,
      email_id = case when ${isElsewhere} then coalesce(message.email_id, message.id) else message.email_id end,
      succeeds = null,
      folder_id = ${target.id},
      uid = row.uid,
      modseq = ${target.modseq + 1},
      saved_at = now(),
      seen = row.seen,
      flagged = row.flagged,
      keywords = row.keywords
    from row where message.folder_id = row.folder_id and message.uid = row.old_uid`.execute(tx)
}
