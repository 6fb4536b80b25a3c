import { Refusal } from '#/base/errors.ts'
import { type FolderRef, findFolder } from '#/mail/store/folders.ts'
import { isFull, roomIn } from '#/mail/store/storage.ts'
import { No } from '../answers.ts'
import { folderNamed, noSuchMailbox } from '../folders/named.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import type { Session } from '../session/session.ts'

/** The folder that a command names, to put messages into. @throws No with TRYCREATE if there is none (RFC 9051, section 7.1), with NOPERM
 *  if the user may not change it */
export async function targetNamed(session: Session, name: string): Promise<FolderRef> {
  const { mailbox, folder } = await folderNamed(session, name, 'change')
  try {
    const { id } = await findFolder(session.parts.db, mailbox, folder)
    return { mailbox, folderId: id }
  } catch (error) {
    if (!(error instanceof Refusal && error.field === 'folder')) throw error
    throw noSuchTarget()
  }
}

/** The same for messages that the client sends, with whether the mailbox is Private. @throws No with OVERQUOTA, too */
export async function roomNamed(session: Session, name: string): Promise<FolderRef & { readonly isPrivate: boolean }> {
  const { mailbox, folder } = await folderNamed(session, name, 'change')
  const room = await roomIn(session.parts.db, mailbox, folder)
  if (!room) throw noSuchMailbox()
  if (room.folderId === null) throw noSuchTarget()
  if (room.isFull) throw noRoom()
  return { mailbox, folderId: room.folderId, isPrivate: room.isPrivate }
}

function noSuchTarget(): No {
  return new No('There is no such mailbox; create it first', 'TRYCREATE')
}

function noRoom(): No {
  return new No('The storage of the organization is full', 'OVERQUOTA')
}

/** @throws No with OVERQUOTA (RFC 9208) while the organization has no room, as arriving mail is refused then */
export async function assertRoom({ parts: { db } }: Session, { mailbox }: FolderRef): Promise<void> {
  if (await isFull(db, mailbox.organizationId)) throw noRoom()
}

/** The selected mailbox, to change messages in it. @throws No if it can only be read */
export function changeable(session: Session): OpenFolder {
  const selected = session.needSelected()
  if (selected.isReadOnly) throw new No('The mailbox can only be read', 'READ-ONLY')
  return selected
}
