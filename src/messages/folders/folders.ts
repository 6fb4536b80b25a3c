import type { Actor } from '#/audit/actor.ts'
import { beginDeleting } from '#/changes/begin.ts'
import { mostMoved, notEmpty } from '#/changes/delete-folder.ts'
import { endOfChange } from '#/changes/queries.ts'
import type { RunningChanges } from '#/changes/running-changes.ts'
import type { Db } from '#/db/schema.ts'
import { invalid, notFound, Refusal } from '#/errors.ts'
import type { FolderStatus, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { folderName, isStandardFolder, newFolderName } from './folder-name.ts'

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

/** Where the mail of a deleted folder goes. */
interface Moving {
  readonly to: string
  readonly by: Actor
}

interface DeletingParts {
  readonly db: Db
  readonly mailHost: MailHost
  readonly runningChanges: RunningChanges
}

/** What the deletion of a folder did. */
interface Deleted {
  readonly moved: number
  /** Null if nothing was moved. */
  readonly changeId: string | null
}

/** Deletes an empty folder, or one whose mail is first moved to another folder: a change that goes on if the process ends. */
export async function deleteFolder(
  { db, mailHost, runningChanges }: DeletingParts,
  mailbox: MailboxRef,
  name: string,
  moving?: Moving,
): Promise<Deleted> {
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
  if (!moving) {
    if (await mailHost.removeFolder(mailbox, name).catch(throwing('path', still))) return { moved: 0, changeId: null }
    // Mail has arrived meanwhile.
    throw notEmpty()
  }
  const state = (await mailHost.folderStates(mailbox)).find((one) => one.name === name)?.state
  if (!state) throw notFound('folder')
  const key = { name, key: state.uidValidity }
  const id = await db
    .transaction()
    .execute((tx) => beginDeleting(tx, mailbox, key, { moveTo: moving.to, by: moving.by }))
  await runningChanges.run(id, mostWaited).catch(async (error) => {
    if (isOfFolder(error) || (error instanceof Refusal && error.field === 'move_to')) await still()
    throw ofField('path', error)
  })
  return endOf(db, id)
}

/** How long a request waits for the deletion of a folder, in milliseconds. */
const mostWaited = 60_000

async function endOf(db: Db, id: string): Promise<Deleted> {
  const end = await endOfChange(db, id)
  if (!end) return { moved: 0, changeId: null }
  if (end.state === 'running')
    throw new Refusal('conflict', 'The folder is still being deleted', { fix: `Look at GET /v1/changes/${id}` })
  if (end.state === 'failed') throw invalid('path', end.error ?? 'The folder was not deleted')
  return { moved: end.messages, changeId: id }
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
