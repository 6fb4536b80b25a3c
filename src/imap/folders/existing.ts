import type { Level } from '#/http/access/caller.ts'
import { No } from '../answers.ts'
import type { Session } from '../session/session.ts'
import { folderNamed, type NamedFolder, noSuchMailbox } from './named.ts'
import { type StoredFolder, storedFolders } from './stored.ts'

/** A folder that a command names, and that exists. */
export interface Existing extends NamedFolder {
  readonly stored: StoredFolder
}

/** @throws No */
export async function existingFolder(session: Session, name: string, level: Level): Promise<Existing> {
  const found = await findFolder(session, name, level)
  if (!found) throw noSuchMailbox()
  return found
}

/** Undefined if nobody has made it. @throws No */
export async function findFolder(session: Session, name: string, level: Level): Promise<Existing | undefined> {
  const named = await folderNamed(session, name, level)
  const { parts, user } = session
  const [stored] = await storedFolders(parts.db, user.mailbox, [named.mailbox.mailboxId], named.folder)
  return stored && { ...named, stored }
}

export function alreadyExists(): No {
  return new No('There is a mailbox of that name already', 'ALREADYEXISTS')
}
