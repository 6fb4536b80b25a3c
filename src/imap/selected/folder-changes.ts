import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { type ChangeCursor, type Changed, type ChangedRow, changedIn, changedMessages } from './changed-messages.ts'

/** What a client knows of a folder. */
export interface Known {
  /** It was told of messages that went up to this modification sequence. */
  readonly expunges: number
  /** It was told of flags up to this one, which is not below the other. */
  readonly flags: number
  /** And of messages below this uid. */
  readonly uidNext: number
}

/** What is different from what the client knows. */
export interface FolderChanges {
  readonly modseq: number
  readonly uidNext: number
  /** The folder's current name. */
  readonly name: string
  /** Uids that went; undefined if the log of them does not reach so far back. */
  readonly gone: Uint32Array | undefined
  /** In that case all uids below `uidNext` of what is known. */
  readonly left: Uint32Array
  /** New uids, ascending. */
  readonly added: Uint32Array
  /** The first of the messages that the client knew before whose flags may have changed. */
  readonly changed: Changed
}

interface Row extends ChangedRow {
  readonly modseq: number
  readonly uid_next: number
  readonly name: string
  readonly pruned: boolean
  readonly gone: string | null
  readonly left: string | null
  readonly added: string | null
}

/** One statement, so that all is of one moment. Undefined if the folder is gone. */
export async function folderChanges(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  folderId: number,
  { expunges, flags, uidNext }: Known,
): Promise<FolderChanges | undefined> {
  const uids = packed(sql`int4send(uid::integer)`)
  const { rows } = await sql<Row>`
    select folder.modseq, folder.uid_next, folder.name, folder.expunged_from > ${expunges} as pruned, gone, "left", added, changed.*
    from mail_folders folder, lateral (
      select ${uids} as gone from mail_expunged
      where folder_id = folder.id and modseq > ${expunges} and uid < ${uidNext} and folder.expunged_from <= ${expunges}
    ) gone, lateral (
      select ${uids} as "left" from (
        select uid from mail_messages
        where folder_id = folder.id and uid < ${uidNext} and folder.expunged_from > ${expunges} order by uid
      ) those
    ) those, lateral (
      select ${uids} as added from (
        select uid from mail_messages where folder_id = folder.id and uid >= ${uidNext} order by uid
      ) added
    ) added, lateral (${changedMessages(sql`folder.id`, { after: { modseq: flags + 1, uid: 0 }, below: uidNext })}) changed
    where folder.id = ${folderId} and folder.organization_id = ${organizationId} and folder.mailbox_id = ${mailboxId}`.execute(
    db,
  )
  const [row] = rows
  return (
    row && {
      modseq: row.modseq,
      uidNext: row.uid_next,
      name: row.name,
      gone: row.pruned ? undefined : integers(row.gone),
      left: integers(row.left),
      added: integers(row.added),
      changed: changedIn(row),
    }
  )
}

/** Changed messages behind a place, up to a modification sequence. */
export async function moreChanged(
  db: Db,
  { organizationId, mailboxId }: MailboxRef,
  folderId: number,
  range: { after: ChangeCursor; until: number; below: number },
): Promise<Changed> {
  const { rows } = await sql<ChangedRow>`
    select changed.* from mail_folders folder, lateral (${changedMessages(sql`folder.id`, range)}) changed
    where folder.id = ${folderId} and folder.organization_id = ${organizationId} and folder.mailbox_id = ${mailboxId}`.execute(
    db,
  )
  const [row] = rows
  return row ? changedIn(row) : { messages: [], next: undefined }
}
