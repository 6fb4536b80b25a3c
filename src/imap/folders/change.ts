import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { announceFolders, assertRenamable, createFolder } from '#/mail/folders/folders.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { isStandardFolder, newFolderName } from '#/mail/store/folder-name.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import { uidsAfter } from '#/mail/store/list.ts'
import { removeFolder, renameFolderTree } from '#/mail/store/make-folder.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { type Completed, No } from '../answers.ts'
import { mailboxId } from '../selected/mailbox-id.ts'
import { closeSelected } from '../selected/select.ts'
import type { Session } from '../session/session.ts'
import type { Arguments, Command } from '../wire/arguments.ts'
import { untagged } from '../wire/format.ts'
import { alreadyExists, existingFolder, findFolder } from './existing.ts'
import { folderWithUse, hasUse } from './listing.ts'
import { folderNamed, type NamedFolder, noSuchMailbox, reach } from './named.ts'
import { separator } from './names.ts'
import { namedAs } from './written.ts'

/** Messages that are deleted or moved in one transaction. */
const together = 500

/** CREATE (RFC 9051, section 6.3.4; RFC 6154, section 3). */
export async function create(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const name = newName(args)
  const uses = readUses(args)
  args.end()
  const wanted = await newFolder(session, name)
  const { db } = session.parts
  const other = uses.find((use) => !hasUse(wanted.folder, use))
  const taken = other === undefined ? undefined : folderWithUse(other)
  if (await findFolder(session, name, 'change')) throw alreadyExists()
  if (other !== undefined)
    throw new No(taken ? `${taken} has this use already` : 'No folder can have this use', 'USEATTR')
  const { made } = await createFolder(db, wanted.mailbox, wanted.folder)
  if (!made) throw alreadyExists()
  await announceFolders(db, wanted.mailbox, session.user.by)
  const { stored } = await existingFolder(session, name, 'change')
  await tellName(session, name, args)
  return { text: 'Created', code: `MAILBOXID (${mailboxId(stored.id)})` }
}

/** A client of IMAP4rev2 is told the name that a mailbox got, if it is written otherwise than it was given. */
async function tellName(session: Session, name: string, { givenName }: Arguments): Promise<void> {
  const given = withoutEnd(givenName)
  if (session.enabled.has('IMAP4rev2') && given !== name)
    await session.output.write(untagged(namedAs(session, name, given)))
}

/** ` (USE (\Sent))`. */
function readUses(args: Arguments): string[] {
  if (args.isAtEnd()) return []
  args.space()
  return args
    .list(() => {
      if (args.word() !== 'USE') throw new No('CREATE knows no parameter but USE', 'CANNOT')
      args.space()
      return args.list(() => args.flag())
    })
    .flat()
}

/** A separator at the end says that others will be within it. */
function newName(args: Arguments): string {
  return withoutEnd(args.mailbox())
}

function withoutEnd(name: string): string {
  return name.endsWith(separator) ? name.slice(0, -1) : name
}

/** A folder that is to have this name. @throws No with CANNOT for a name that no folder can get */
async function newFolder(session: Session, name: string): Promise<Pick<NamedFolder, 'mailbox' | 'folder'>> {
  const { mailbox, path } = await reach(session, name, 'change')
  try {
    return { mailbox, folder: newFolderName(path) }
  } catch (error) {
    throw error instanceof Refusal ? new No(error.message, 'CANNOT') : error
  }
}

/** DELETE (RFC 9051, section 6.3.5): the folder and its messages, not those within it, which stay where they are. */
export async function remove(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const given = args.mailbox()
  args.end()
  const folder = await existingFolder(session, given, 'change')
  assertNotStandard(folder)
  const { db } = session.parts
  const { mailbox, folder: name, stored } = folder
  do {
    for (;;) {
      const uids = await uidsAfter(db, mailbox, name, 0, together)
      if (uids.length === 0) break
      await expungeMessages(db, mailbox, name, uids, session.user.by)
    }
    // Mail may arrive meanwhile.
  } while (!(await removeFolder(db, mailbox, name)))
  await announceFolders(db, mailbox, session.user.by)
  if (session.selected?.folderId === stored.id) closeSelected(session)
  return { text: 'Deleted' }
}

/** RENAME (RFC 9051, section 6.3.6), with those within it, also where they are all that there is. */
export async function rename(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const given = args.mailbox()
  args.space()
  const name = newName(args)
  args.end()
  const from = await folderNamed(session, given, 'change')
  const to = await newFolder(session, name)
  if (to.mailbox.mailboxId !== from.mailbox.mailboxId)
    throw new No('A folder stays in its mailbox: copy its messages', 'CANNOT')
  if (from.folder === 'inbox') await emptyInto(session, from, to.folder)
  else await renameTree(session.parts.db, from, to.folder)
  await announceFolders(session.parts.db, from.mailbox, session.user.by)
  await tellName(session, name, args)
  return { text: 'Renamed' }
}

async function renameTree(db: Db, from: NamedFolder, to: string): Promise<void> {
  const { mailbox, folder } = from
  const folders = await folderStatuses(db, mailbox)
  if (!folders.some(({ name }) => name === folder || name.startsWith(`${folder}/`))) throw noSuchMailbox()
  assertNotStandard(from)
  if (folders.some(({ name }) => name === to)) throw alreadyExists()
  assertRenamable(folders, folder, to)
  await renameFolderTree(db, mailbox, folder, to)
}

/** INBOX stays, and is empty: its messages go to a new folder. */
async function emptyInto({ parts: { db }, user }: Session, { mailbox }: NamedFolder, to: string): Promise<void> {
  if (!(await createFolder(db, mailbox, to)).made) throw alreadyExists()
  for (;;) {
    const uids = await uidsAfter(db, mailbox, 'inbox', 0, together)
    if (uids.length === 0) return
    await updateMessages(db, mailbox, 'inbox', uids, { folder: to }, user.by)
  }
}

function assertNotStandard({ folder, name }: NamedFolder): void {
  if (isStandardFolder(folder)) throw new No(`Every mailbox has ${name}`, 'CANNOT')
}
