import { type RawBuilder, sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'
import type { Tx } from '#/base/db/schema.ts'
import { unlessDeleted } from '#/base/errors.ts'
import { type Folder, type FolderRef, lockFolders, type Named, uidRows } from './folders.ts'

/** A copy that takes over the id of the message that it was made from, once that is expunged: for programs without MOVE this is a move. */
export interface Succession {
  readonly id: number
  readonly uid: number
  /** The copy, by the id that it loses. */
  readonly copy: Named
  readonly folderId: number
  readonly folder: string
  /** Of copies of the copy, which from then on are copies of what has the id. */
  readonly foldersOfCopies: readonly number[]
}

/** How long before a message is marked as deleted its copy may have been made. Programs that move do both at once. A copy that is older was
 *  meant to be one, and keeps its own id. */
const patience = sql`interval '10 minutes'`

/** Locks a folder, and those of copies that take over ids of messages that are expunged from it. Answers the folder, and what succeeds. */
export async function lockWithSuccessors(
  tx: Tx,
  ref: FolderRef,
  uids: readonly number[],
): Promise<{ readonly folder: Folder; readonly successions: readonly Succession[] }> {
  const found = await successionsOf(tx, ref, uids)
  const { mailbox } = ref
  const ids = new Set(found.flatMap(({ folderId, foldersOfCopies }) => [folderId, ...foldersOfCopies]))
  const others = Array.from(ids, (folderId) => ({ mailbox, folderId }))
  if (others.length === 0) return { folder: (await lockFolders(tx, ref))(ref), successions: [] }
  const lock = await lockFolders(tx, ref, ...others).catch(unlessDeleted)
  // Where one of them is gone, no copy is there any more.
  if (!lock) return await lockWithSuccessors(tx, ref, uids)
  const isLocked = (folderId: number) => folderId === ref.folderId || ids.has(folderId)
  const successions = (await successionsOf(tx, ref, uids)).filter(({ folderId }) => isLocked(folderId))
  return { folder: lock(ref), successions }
}

/** What succeeds messages of a folder that bear `\Deleted`: of several copies in their mailbox the last. Copies that are expunged with them do
 *  not count, nor do copies that have been moved. */
async function successionsOf(tx: Tx, { mailbox, folderId }: FolderRef, uids: readonly number[]): Promise<Succession[]> {
  const { rows } = await sql<Omit<Succession, 'copy'> & { copy_id: number; copy_uid: number }>`
    select distinct on (gone.id) gone.id, gone.uid, copy.id as copy_id, copy.uid as copy_uid, folder.id as "folderId", folder.name as folder,
      array(select distinct other.folder_id from mail_messages other where other.succeeds = copy.id) as "foldersOfCopies"
    from ${uidRows(folderId, uids)} wanted join mail_messages gone using (folder_id, uid)
    join mail_messages copy on copy.succeeds = gone.id and copy.succeeds is not null
    join mail_folders folder on folder.id = copy.folder_id
      and folder.organization_id = ${mailbox.organizationId} and folder.mailbox_id = ${mailbox.mailboxId}
    where gone.deleted and copy.saved_at >= coalesce(gone.deleted_at, now()) - ${patience}
      and not (copy.deleted and copy.folder_id = ${folderId} and copy.uid = any(${uids}::bigint[]))
    order by gone.id, copy.saved_at desc, copy.id desc`.execute(tx)
  return rows.map(({ copy_id, copy_uid, ...row }) => ({ ...row, copy: { id: copy_id, uid: copy_uid } }))
}

/** Gives the copies the ids of messages that are gone, and has copies of them be copies of what has these ids. All their folders are locked.
 *  What IMAP calls them stays: that is the same for all. Readers of a copy's folder learn of it as of a change of flags (changes.ts). */
export async function succeed(tx: Tx, successions: readonly Succession[]): Promise<void> {
  if (successions.length === 0) return
  const folders = successions.map(({ folderId }) => folderId)
  await sql`
    with changing as (
      /* announced */ update mail_folders set modseq = modseq + 1 where id = any(${folders}::bigint[]) returning id as folder_id, modseq
    ), given as (
      select * from unnest(${successions.map(({ copy }) => copy.id)}::bigint[],
        ${successions.map(({ id }) => id)}::bigint[], ${folders}::bigint[]) as given (copy_id, id, folder_id)
      join changing using (folder_id)
    )
    update mail_messages message set
      id = case when message.id = given.copy_id then given.id else message.id end,
      succeeds = case when message.id = given.copy_id then null else given.id end,
      modseq = case when message.id = given.copy_id then given.modseq else message.modseq end
    from given where message.id = given.copy_id or message.succeeds = given.copy_id`.execute(tx)
}

/** In a statement that expunges: the messages that are deleted. */
export const gone = relation('gone', 'uid', 'id', 'seen', 'size_bytes', 'received_at', 'keywords')

/** Events of these messages. One that is succeeded has moved: the copy is no message of its own any more. */
export function expungedEvents({ name }: Folder, successions: readonly Succession[]): RawBuilder<unknown> {
  const heirs = successions.map(({ id, copy, folder }) => ({ id, copy_id: copy.id, copy_uid: copy.uid, folder }))
  return sql`
    with heir as (
      select * from json_to_recordset(${JSON.stringify(heirs)}::json) as heir (id bigint, copy_id bigint, copy_uid bigint, folder text)
    )
    select 'message.deleted' as type, uid, jsonb_build_object(
      'folder', coalesce(folder, ${name}::text), 'uid', coalesce(copy_uid, uid), 'id', coalesce(copy_id, id)) as data
    from ${gone.rows} left join heir using (id)
    union all
    select 'message.changed', uid, jsonb_build_object('folder', folder, 'uid', copy_uid, 'id', id,
      'moved_from', jsonb_build_object('folder', ${name}::text, 'uid', uid, 'id', id))
    from ${gone.rows} join heir using (id)
    order by uid, type desc`
}
