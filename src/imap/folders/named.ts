import { Refusal } from '#/base/errors.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { type Level, levels } from '#/http/access/caller.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { No } from '../answers.ts'
import type { Session } from '../session/session.ts'
import { imapName, sharedName, sharedPath } from './names.ts'
import { sharedWith } from './shares.ts'

/** A folder as a command names it. */
export interface NamedFolder {
  /** As IMAP names it: `Shared/team@example.com/Projects`. */
  readonly name: string
  readonly mailbox: MailboxRef
  /** As the store names it. It may not exist. */
  readonly folder: string
  /** What the user may do there. */
  readonly level: Level | 'own'
}

/** A mailbox that a command reaches, and a path in it as the client gave it. */
export interface Reached extends Pick<NamedFolder, 'mailbox' | 'level'> {
  readonly path: string
  /** Undefined for the own mailbox. */
  readonly shared: string | undefined
}

/** The folder of the own mailbox or of a shared one that a command names (`Arguments.mailbox`). Whether it exists is not looked up.
 *  @throws No with NONEXISTENT for what cannot be there, with NOPERM if the user may not do what the level stands for */
export async function folderNamed(session: Session, name: string, level: Level): Promise<NamedFolder> {
  const { mailbox, level: has, path, shared } = await reach(session, name, level)
  const folder = found(() => folderName(path))
  return { name: shared === undefined ? imapName(folder) : sharedName(shared, folder), mailbox, folder, level: has }
}

/** The mailbox that a name leads to. @throws No */
export async function reach({ parts: { db }, user }: Session, name: string, level: Level): Promise<Reached> {
  const elsewhere = sharedPath(name)
  if (!elsewhere) return { mailbox: user.mailbox, level: 'own', path: name, shared: undefined }
  const address = canonicalAddress(elsewhere.address)
  const [share] = address === undefined ? [] : await sharedWith(db, user.mailbox, address)
  // The same words whether it never existed, is another organization's, or is not shared.
  if (!share) throw noSuchMailbox()
  if (levels.indexOf(share.level) < levels.indexOf(level))
    throw new No(`This mailbox is shared with you at the level ${share.level}; this needs ${level}`, 'NOPERM')
  const mailbox = { organizationId: user.mailbox.organizationId, mailboxId: share.id }
  return { mailbox, level: share.level, path: elsewhere.path, shared: share.address }
}

export function noSuchMailbox(): No {
  return new No('No such mailbox', 'NONEXISTENT')
}

/** A name that no folder can have names none. */
function found<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Refusal ? noSuchMailbox() : error
  }
}
