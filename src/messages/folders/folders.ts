import type { Actor } from '#/audit/actor.ts'
import { invalid, notFound, Refusal } from '#/errors.ts'
import type { FolderStatus, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { Recording } from '#/ports/recording.ts'
import { folderName, isStandardFolder, newFolderName } from './folder-name.ts'

/** Folders that POST creates in a mailbox, since all of them are listed at once. */
const mostFolders = 1_000
/** The most messages of a folder to be deleted whose mail is moved, and messages in one step. */
const mostMoved = 5_000
const movedAtOnce = 500

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
export async function readFolder(mailHost: MailHost, mailbox: MailboxRef, name: string): Promise<FolderStatus> {
  return found(await mailHost.folders(mailbox), name)
}

/** Creates a folder, unless it exists. */
export async function createFolder(
  mailHost: MailHost,
  mailbox: MailboxRef,
  name: string,
): Promise<{ made: boolean; folder: FolderStatus }> {
  const folders = await mailHost.folders(mailbox)
  const there = folders.find((one) => one.name === name)
  if (there) return { made: false, folder: there }
  if (folders.length >= mostFolders) throw invalid('name', `A mailbox can have at most ${mostFolders} folders`)
  const made = await mailHost.createFolder(mailbox, name).catch(throwing('name'))
  return { made, folder: { name, total: 0, unread: 0 } }
}

/** Renames a folder and those within it. */
export async function renameFolder(
  mailHost: MailHost,
  mailbox: MailboxRef,
  name: string,
  to: string,
): Promise<FolderStatus> {
  assertNotStandard(name)
  const folders = await mailHost.folders(mailbox)
  const folder = found(folders, name)
  if (to === name) return folder
  if (to.startsWith(`${name}/`)) throw invalid('name', 'A folder cannot be within itself')
  const names = new Set(folders.map((one) => one.name))
  for (const inner of names) {
    if (inner !== name && !inner.startsWith(`${name}/`)) continue
    const renamed = folderNamed('name', to + inner.slice(name.length))
    if (names.has(renamed)) throw invalid('name', `There is a folder ${JSON.stringify(renamed)} already`)
  }
  await mailHost.renameFolder(mailbox, name, to).catch(throwing('name', () => readFolder(mailHost, mailbox, name)))
  return { ...folder, name: to }
}

/** The target for the mail of a deleted folder. */
interface Moving {
  readonly to: string
  /** Records the next step. */
  readonly step: () => Recording
  readonly by: Actor
}

/** Deletes an empty folder, or one whose mail is first moved to another folder, a bounded number at a time. Answers how many
 *  messages were moved. */
export async function deleteFolder(
  mailHost: MailHost,
  mailbox: MailboxRef,
  name: string,
  moving?: Moving,
): Promise<number> {
  const moveTo = moving?.to
  assertNotStandard(name)
  const folders = await mailHost.folders(mailbox)
  const { total } = found(folders, name)
  const within = folders.find((one) => one.name.startsWith(`${name}/`))
  if (within)
    throw invalid('path', `There is a folder ${JSON.stringify(within.name)} within it`, 'Delete or rename that first')
  if (moveTo === name || moveTo?.startsWith(`${name}/`)) throw invalid('move_to', 'move_to must be another folder')
  if (total > 0 && moveTo === undefined) throw notEmpty()
  if (total > mostMoved) {
    throw invalid('path', `It has more than ${mostMoved} messages`, 'Move them with PATCH /v1/messages first')
  }
  const still = () => readFolder(mailHost, mailbox, name)
  for (let [moved, asked] = [0, 0]; ; ) {
    if (await mailHost.removeFolder(mailbox, name).catch(throwing('path', still))) return moved
    // Mail has arrived meanwhile, or a server has not moved all.
    if (!moving || asked > mostMoved) throw notEmpty()
    const { to: folder, by, step } = moving
    const uids = await mailHost.uidsAfter(mailbox, name, 0, movedAtOnce).catch(throwing('path', still))
    asked += Math.max(1, uids.length)
    moved += (await mailHost.update(mailbox, name, uids, { folder }, by, step()).catch(throwing('move_to', still))).size
  }
}

function found(folders: readonly FolderStatus[], name: string): FolderStatus {
  const folder = folders.find((one) => one.name === name)
  if (!folder) throw notFound('folder')
  return folder
}

function assertNotStandard(name: string): void {
  if (isStandardFolder(name)) {
    throw invalid('path', `Every mailbox has ${name}: it cannot be renamed or deleted`)
  }
}

function notEmpty(): Refusal {
  return invalid('move_to', 'The folder has messages', 'Give move_to, or move or delete them first')
}

/** Reports an error of a folder as one of a field. */
function ofField(field: string, error: unknown): unknown {
  return isOfFolder(error) ? invalid(field, error.message, error.fix) : error
}

/** The same. `still` reads the folder that the request is about: it may have been deleted or renamed meanwhile. */
function throwing(field: string, still?: () => Promise<unknown>): (error: unknown) => Promise<never> {
  return async (error) => {
    if (isOfFolder(error)) await still?.()
    throw ofField(field, error)
  }
}

function isOfFolder(error: unknown): error is Refusal {
  return error instanceof Refusal && error.field === 'folder'
}
