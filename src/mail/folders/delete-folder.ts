import type { Actor } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { beginDeleting } from '#/mail/changes/begin.ts'
import { mostMoved, notEmpty } from '#/mail/changes/delete-folder.ts'
import { endOfChange } from '#/mail/changes/queries.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { removeFolder } from '#/mail/store/make-folder.ts'
import { assertNotStandard, found, isOfFolder, keyOf, ofField, readFolder, throwing } from './folders.ts'

interface DeletingDependencies {
  readonly db: Db
  readonly runningChanges: RunningChanges
}

/** A deletion that may have been done: of an empty folder, or the change that moves its mail first. */
export interface BegunDeletion {
  readonly changeId: string | null
}

interface Deleting {
  /** Where the folder's mail goes. */
  readonly moveTo?: string | undefined
  readonly by: Actor
  /** By an attempt whose end nobody learnt. */
  readonly begun?: BegunDeletion | undefined
  /** Called before the folder may be gone: in the transaction that begins the change, if there is one. */
  readonly note?: (db: Db, begun: BegunDeletion) => Promise<void>
}

/** What the deletion of a folder did. */
interface Deleted {
  readonly moved: number
  /** Null if nothing was moved. */
  readonly changeId: string | null
}

/** Deletes an empty folder, or one whose mail is first moved to another folder: a change that goes on if the process ends. */
export async function deleteFolder(
  parts: DeletingDependencies,
  mailbox: MailboxRef,
  name: string,
  { moveTo, by, begun, note = async () => {} }: Deleting,
): Promise<Deleted> {
  const { db } = parts
  if (typeof begun?.changeId === 'string') return await ended(parts, mailbox, name, begun.changeId)
  assertNotStandard(name)
  const folders = await folderStatuses(db, mailbox)
  if (begun && !folders.some((one) => one.name === name)) return { moved: 0, changeId: null }
  const { total } = found(folders, name)
  const within = folders.find((one) => one.name.startsWith(`${name}/`))
  if (within)
    throw invalid('path', `There is a folder ${JSON.stringify(within.name)} within it`, 'Delete or rename that first')
  if (moveTo === name || moveTo?.startsWith(`${name}/`)) throw invalid('move_to', 'move_to must be another folder')
  if (total > 0 && moveTo === undefined) throw notEmpty()
  if (total > mostMoved) {
    throw invalid('path', `It has more than ${mostMoved} messages`, 'Move them with PATCH /v1/messages first')
  }
  if (moveTo === undefined) {
    await note(db, { changeId: null })
    const still = () => readFolder(db, mailbox, name)
    if (await removeFolder(db, mailbox, name).catch(throwing('path', still))) return { moved: 0, changeId: null }
    // Mail has arrived meanwhile.
    throw notEmpty()
  }
  const key = { name, key: await keyOf(db, mailbox, name) }
  const id = await db.transaction().execute(async (tx) => {
    const changeId = await beginDeleting(tx, mailbox, key, { moveTo, by })
    await note(tx, { changeId })
    return changeId
  })
  return await ended(parts, mailbox, name, id)
}

/** How long a request waits for the deletion of a folder, in milliseconds. */
const mostWaited = 60_000

/** Works on a deletion until it has ended. */
async function ended(
  { db, runningChanges }: DeletingDependencies,
  mailbox: MailboxRef,
  name: string,
  id: string,
): Promise<Deleted> {
  await runningChanges.run(id, mostWaited).catch(async (error) => {
    if (isOfFolder(error) || (error instanceof Refusal && error.field === 'move_to')) {
      await readFolder(db, mailbox, name)
    }
    throw ofField('path', error)
  })
  const end = await endOfChange(db, id)
  if (!end) return { moved: 0, changeId: null }
  if (end.state === 'running')
    throw new Refusal('conflict', 'The folder is still being deleted', { fix: `Look at GET /v1/changes/${id}` })
  if (end.state === 'failed') {
    // Another worker may have been refused what this request would have been.
    const refusal = notEmpty()
    throw end.error === refusal.message ? refusal : invalid('path', end.error ?? 'The folder was not deleted')
  }
  return { moved: end.messages, changeId: id }
}
