import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { appendEvents, type By } from '#/events/append.ts'
import { applier, changed } from './changed.ts'
import type { FolderKey } from './folders.ts'
import { type Folder, findFolder, lockFolders, makeFolders, refuseFolder, uidRows } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { mark } from './mark.ts'
import { messagesIn, move } from './move.ts'
import type { Recording } from './recording.ts'

export type Place = { readonly folder: string; readonly uid: number }

export interface Change {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly addKeywords?: readonly string[]
  readonly removeKeywords?: readonly string[]
  /** Moves, creating the folder if needed. Every message gets a new uid there. */
  readonly folder?: string
}

/** Applies a change to all messages or to none, in one transaction with its events, in the name of `by`; `recording` gets what it did.
 *  Answers, for each uid that was there, where the message is now. Messages that are in that state already keep
 *  their modification sequence. */
export function updateMessages(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
  change: Change,
  by?: By,
  recording?: Recording,
): Promise<Map<number, Place>> {
  return db.transaction().execute((tx) => updateIn(tx, mailbox, name, uids, change, by, recording))
}

export async function updateIn(
  tx: Tx,
  mailbox: MailboxRef,
  name: string,
  uids: readonly number[],
  change: Change,
  by?: By,
  recording?: Recording,
): Promise<Map<number, Place>> {
  const { folder: targetName = name, ...flags } = change
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
  const target = folders.get(targetName) ?? (present.length > 0 ? await refuseFolder(tx, mailbox, targetName) : source)
  const pairs = await move(tx, source, target, present, { apply: applier(flags), isElsewhere: false })
  await recording?.settle(tx, { mailbox, source: keyOf(source), target: keyOf(target), present, pairs })
  await appendEvents(tx, changed(mailbox, name, targetName, pairs), by)
  const moved = new Map(pairs.map(({ before, after }) => [before.uid, after.uid]))
  return new Map(present.map(({ uid }) => [uid, { folder: targetName, uid: moved.get(uid) ?? uid }]))
}

function keyOf({ id, name }: Folder): FolderKey {
  return { name, key: id }
}

/** Creates the target folder, if there is anything to move. */
async function makeTarget(tx: Tx, mailbox: MailboxRef, name: string, uids: readonly number[], target: string) {
  const source = await findFolder(tx, mailbox, name)
  const { rows } = await sql`
    select from ${uidRows(source.id, uids)} wanted join mail_messages using (folder_id, uid) limit 1`.execute(tx)
  if (rows.length > 0) await makeFolders(tx, [{ mailbox, name: target }])
}
