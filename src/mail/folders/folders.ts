import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { appendEvents, type By } from '#/base/event-log/append.ts'
import { settingsChanged } from '#/base/event-log/types.ts'
import { folderName, isStandardFolder, newFolderName } from '#/mail/store/folder-name.ts'
import { type FolderKey, type FolderStatus, folderNow, folderStates, folderStatuses } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { makeFolder, renameFolderTree } from '#/mail/store/make-folder.ts'

/** Folders that POST creates in a mailbox, since all of them are listed at once. */
const mostFolders = 1_000

/** A folder's name in a path. An impossible name is `not_found`. */
export function pathFolder(text: string): string {
  try {
    return folderName(text)
  } catch {
    throw notFound('folder')
  }
}

/** Reads the name of a folder that may have to be created, from the field with that name. */
export function folderNamed(field: string, text: string): string {
  try {
    return newFolderName(text)
  } catch (error) {
    throw ofField(field, error)
  }
}

/** One folder. */
export async function readFolder(db: Db, mailbox: MailboxRef, name: string): Promise<FolderStatus> {
  return found(await folderStatuses(db, mailbox), name)
}

/** Creates a folder, unless it exists. */
export async function createFolder(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  /** Called before it is created. */
  note: () => Promise<void> = async () => {},
): Promise<{ made: boolean; folder: FolderStatus }> {
  const folders = await folderStatuses(db, mailbox)
  const there = folders.find((one) => one.name === name)
  if (there) return { made: false, folder: there }
  if (folders.length >= mostFolders) throw invalid('name', `A mailbox can have at most ${mostFolders} folders`)
  await note()
  const made = await makeFolder(db, mailbox, name).catch(throwing('name'))
  return { made, folder: { name, total: 0, unread: 0 } }
}

/** The folder, if an attempt whose end nobody learnt has renamed it. */
export async function renamedFolder(
  db: Db,
  mailbox: MailboxRef,
  folder: FolderKey,
  to: string,
): Promise<FolderStatus | undefined> {
  if ((await folderNow(db, mailbox, folder)) === folder.name) return undefined
  return (await folderStatuses(db, mailbox)).find(({ name }) => name === to)
}

/** Renames a folder and those within it. `note` gets it before, once it is known that no other has the name. */
export async function renameFolder(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  to: string,
  note: (folder: FolderKey) => Promise<void> = async () => {},
): Promise<FolderStatus> {
  assertNotStandard(name)
  const folders = await folderStatuses(db, mailbox)
  const folder = found(folders, name)
  if (to === name) return folder
  assertRenamable(folders, name, to)
  await note({ name, key: await keyOf(db, mailbox, name) })
  await renameFolderTree(db, mailbox, name, to).catch(throwing('name', () => readFolder(db, mailbox, name)))
  return { ...folder, name: to }
}

/** @throws Refusal if a folder, or one within it, cannot have the name that it would get */
export function assertRenamable(folders: readonly FolderStatus[], name: string, to: string): void {
  if (to.startsWith(`${name}/`)) throw invalid('name', 'A folder cannot be within itself')
  const names = new Set(folders.map((one) => one.name))
  for (const inner of names) {
    if (inner !== name && !inner.startsWith(`${name}/`)) continue
    const renamed = folderNamed('name', to + inner.slice(name.length))
    if (names.has(renamed)) throw invalid('name', `There is a folder ${JSON.stringify(renamed)} already`)
  }
}

/** A folder's UIDVALIDITY. */
export async function keyOf(db: Db, mailbox: MailboxRef, name: string): Promise<number> {
  const state = (await folderStates(db, mailbox)).find((one) => one.name === name)?.state
  if (!state) throw notFound('folder')
  return state.uidValidity
}

export function found(folders: readonly FolderStatus[], name: string): FolderStatus {
  const folder = folders.find((one) => one.name === name)
  if (!folder) throw notFound('folder')
  return folder
}

export function assertNotStandard(name: string): void {
  if (isStandardFolder(name)) {
    throw invalid('path', `Every mailbox has ${name}: it cannot be renamed or deleted`)
  }
}

/** Reports an error of a folder as one of a field. */
export function ofField(field: string, error: unknown): unknown {
  return isOfFolder(error) ? invalid(field, error.message, error.fix) : error
}

/** The same. `still` reads the folder that the request is about: it may have been deleted or renamed meanwhile. */
export function throwing(field: string, still?: () => Promise<unknown>): (error: unknown) => Promise<never> {
  return async (error) => {
    if (isOfFolder(error)) await still?.()
    throw ofField(field, error)
  }
}

export function isOfFolder(error: unknown): error is Refusal {
  return error instanceof Refusal && error.field === 'folder'
}

/** Lets open pages of the web app know of changed folders. Not in the transaction of the change, which may be on another server: a
 *  page that misses it looks again by itself. */
export async function announceFolders(db: Db, { organizationId, mailboxId }: MailboxRef, by: By): Promise<void> {
  const event = { organizationId, mailboxId, type: settingsChanged, data: { id: null, name: 'folder' } } as const
  await db.transaction().execute((tx) => appendEvents(tx, [event], by))
}
