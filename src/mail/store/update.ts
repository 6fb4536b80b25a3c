import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import { type Change, unrecorded } from './change.ts'
import { type FolderAt, makeFolders } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { moveMessages } from './move.ts'
import { storeFlags } from './store-flags.ts'

export type Place = { readonly folder: string; readonly uid: number }

export interface Updated {
  /** Where each message is now that was there, by its uid. */
  readonly places: ReadonlyMap<number, Place>
  /** The ids of messages that have moved, by their former uids. */
  readonly ids: ReadonlyMap<number, number>
  /** The answer of the recording. */
  readonly recorded: unknown
}

/** Applies a change to all messages of a folder or to none, with its events. Messages that are in that state already keep their modification
 *  sequence. */
export async function updateMessages(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
  change: Change,
  by?: By,
): Promise<ReadonlyMap<number, Place>> {
  return (await db.transaction().execute((tx) => updateIn(tx, { mailbox, name }, uids, change, by))).places
}

export async function updateIn(
  tx: Tx,
  at: FolderAt,
  uids: readonly number[],
  { folder: name, ...change }: Change,
  by?: By,
  recording = unrecorded,
): Promise<Updated> {
  if (name === undefined || !(await makeTarget(tx, at, uids, name))) {
    const { present, folder, recorded } = await storeFlags(tx, at, uids, change, by, { recording })
    return { recorded, ids: new Map(), places: new Map(Array.from(present, (uid) => [uid, { folder, uid }])) }
  }
  const to = { mailbox: at.mailbox, name }
  const { from, to: now, ids, recorded } = await moveMessages(tx, at, uids, to, by, { change, recording })
  const moved = new Map(Array.from(ids, (id, index) => [from[index] ?? 0, id]))
  return {
    recorded,
    ids: moved,
    places: new Map(from.map((uid, index) => [uid, { folder: name, uid: now[index] ?? uid }])),
  }
}

/** Creates the folder to move to, if there is anything to move. False if there is neither. */
async function makeTarget(tx: Tx, at: FolderAt, uids: readonly number[], target: string): Promise<boolean> {
  const { mailbox } = at
  const [id, name] = 'folderId' in at ? [at.folderId, null] : [null, at.name]
  const { rows } = await sql<{ target: boolean; message: boolean }>`
    select exists (
      select from mail_folders where mailbox_id = ${mailbox.mailboxId} and organization_id = ${mailbox.organizationId} and name = ${target}
    ) as target, exists (
      select from (
        select id as folder_id, unnest(${uids}::bigint[]) as uid from mail_folders
        where mailbox_id = ${mailbox.mailboxId} and organization_id = ${mailbox.organizationId} and (id = ${id} or name = ${name})
      ) wanted join mail_messages using (folder_id, uid)
    ) as message`.execute(tx)
  const [found] = rows
  if (!found?.target && found?.message) await makeFolders(tx, [{ mailbox, name: target }])
  return (found?.target || found?.message) ?? false
}
