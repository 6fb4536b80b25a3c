import type { Db } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { type FolderKey, folderNow } from '#/mail/store/folders.ts'
import { uidsAfter } from '#/mail/store/list.ts'
import { removeFolder } from '#/mail/store/make-folder.ts'
import { updateIn } from '#/mail/store/update.ts'
import type { Running } from './queries.ts'
import { stepOf } from './record.ts'

interface Dependencies {
  readonly db: Db
  /** Messages in one step. */
  readonly together: number
}

/** The work of a change that deletes a folder. */
export interface Deleting extends Running {
  readonly folder: string
  readonly folder_key: number
  readonly move_to: string
}

/** The most messages of a folder to be deleted whose mail is moved. */
export const mostMoved = 5_000

/** Moves the mail of a folder, a bounded number at a time, and removes the folder. A repetition moves the remaining messages: a folder
 *  that is no longer there was removed by an attempt whose end nobody learnt. */
export async function deleteFolder(
  { db, together }: Dependencies,
  { id, organization_id: organizationId, mailboxes, by, ...work }: Deleting,
  mayContinue: () => Promise<boolean>,
): Promise<boolean> {
  const folder: FolderKey = { name: work.folder, key: work.folder_key }
  const [mailboxId] = mailboxes
  // It was deleted.
  if (mailboxId === undefined) return true
  const mailbox = { organizationId, mailboxId }
  for (let asked = 0; await mayContinue(); ) {
    const name = await folderNow(db, mailbox, folder)
    if (name === undefined) return true
    if (name !== folder.name) throw invalid('path', `The folder was renamed to ${JSON.stringify(name)} meanwhile`)
    if (await removeFolder(db, mailbox, name)) return true
    // Mail arrives meanwhile.
    if (asked > mostMoved) throw notEmpty()
    const uids = await uidsAfter(db, mailbox, name, 0, together)
    asked += Math.max(1, uids.length)
    const at = { mailbox, folderId: folder.key }
    const move = db.transaction().execute((tx) => updateIn(tx, at, uids, { folder: work.move_to }, by, stepOf(id)))
    await move.catch(ofTarget)
  }
  return false
}

export function notEmpty(): Refusal {
  return invalid('move_to', 'The folder has messages', 'Give move_to, or move or delete them first')
}

function ofTarget(error: unknown): never {
  throw error instanceof Refusal && error.field === 'folder' ? invalid('move_to', error.message, error.fix) : error
}
