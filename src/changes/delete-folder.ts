import { invalid, Refusal } from '#/errors.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { FolderKey } from '#/ports/recording.ts'
import type { Running } from './queries.ts'
import { stepOf } from './record.ts'

interface Parts {
  readonly mailHost: MailHost
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
  { mailHost, together }: Parts,
  { id, organization_id: organizationId, mailboxes, by, ...work }: Deleting,
  goesOn: () => Promise<boolean>,
): Promise<boolean> {
  const folder: FolderKey = { name: work.folder, key: work.folder_key }
  const [mailboxId] = mailboxes
  // It was deleted.
  if (mailboxId === undefined) return true
  const mailbox = { organizationId, mailboxId }
  for (let asked = 0; await goesOn(); ) {
    const name = await mailHost.folderNow(mailbox, folder)
    if (name === undefined) return true
    if (name !== folder.name) throw invalid('path', `The folder was renamed to ${JSON.stringify(name)} meanwhile`)
    if (await mailHost.removeFolder(mailbox, name)) return true
    // Mail arrives meanwhile, or a server does not move all.
    if (asked > mostMoved) throw notEmpty()
    const uids = await mailHost.uidsAfter(mailbox, name, 0, together)
    asked += Math.max(1, uids.length)
    await mailHost.update(mailbox, name, uids, { folder: work.move_to }, by, stepOf(id)).catch(ofTarget)
  }
  return false
}

export function notEmpty(): Refusal {
  return invalid('move_to', 'The folder has messages', 'Give move_to, or move or delete them first')
}

function ofTarget(error: unknown): never {
  throw error instanceof Refusal && error.field === 'folder' ? invalid('move_to', error.message, error.fix) : error
}
