import { mailUnavailable } from '#/errors.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import { fetch } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import type { Places, SelectedFolder } from '../folders/selected-folder.ts'
import { type Delta, noDelta, readDelta } from './delta.ts'
import { readReturned } from './read-returned.ts'
import { readRows } from './read-rows.ts'
import type { ThreadRowsReader } from './thread-rows.ts'

/** New messages in a step. Each step reads the mailbox's account in the database and changes from the server; the reader
 *  applies it at once, in some 3 ms. With 2,048 a first read takes a tenth more CPU time; with 8,192 no less, and it holds
 *  the event loop twice as long. */
const rowsAtOnce = 4096

type NewRows = () => ThreadRowsReader

/** The next step for a reader at `since`, in a folder that was checked just now. If nothing has changed since the last step
 *  on this connection, the check was enough. Undefined if the folder has been deleted meanwhile. */
export async function changes(
  session: ImapSession,
  given: SelectedFolder,
  newRows: NewRows,
  since: FolderState | undefined,
): Promise<FolderChanges | undefined> {
  // Another connection gave the reader what this one does not know of.
  const behind = since && session.qresync && since.modseq > given.highestKnown
  const folder = behind ? await session.selectAnew(given.path) : given
  if (!folder) return undefined
  try {
    if (since && isUnchanged(session, folder, since)) {
      folder.report(since, folder.exists)
      return present(folder, since, newRows(), noDelta, false)
    }
    const followed = since && (await follow(session, folder, newRows, since))
    if (followed) return followed
    // A folder that was just selected and is unused is up to date.
    const fresh = folder.reported || folder.touched ? await session.selectAnew(folder.path) : folder
    return fresh && (await startAfresh(session, fresh, newRows))
  } catch (error) {
    // A step that did not reach the reader.
    if (session.selected) session.selected.reported = undefined
    throw error
  }
}

function isUnchanged(session: ImapSession, folder: SelectedFolder, since: FolderState): boolean {
  if (folder.touched) return false
  if (folder.reported) return equal(folder.reported, since) && folder.below === folder.exists
  return session.qresync && equal(folder.selectedAt, since)
}

/** Undefined if the reader must start again. */
async function follow(
  session: ImapSession,
  folder: SelectedFolder,
  newRows: NewRows,
  since: FolderState,
): Promise<FolderChanges | undefined> {
  const here = folder.reported !== undefined && equal(folder.reported, since)
  if (since.uidValidity !== folder.selectedAt.uidValidity) return undefined
  // Only QRESYNC reports messages expunged while this connection did not follow the folder. It reports nothing about a state
  // that the server does not know, as after a restore from a backup.
  if (!here && (!session.qresync || since.modseq > folder.highestKnown)) return undefined
  if (!here) folder.report(since, 0)
  const noted = folder.drainNoted(since.uidNext)
  const delta = here && noted ? noted : await readDelta(session, since)
  if (!delta) return undefined
  if (!here) folder.below = await countBelow(session, folder, since.uidNext)
  const rows = await nextRows(session, folder, newRows)
  const modseq = Math.max(since.modseq, delta.modseq)
  return present(folder, { ...since, modseq }, rows, delta, false)
}

async function startAfresh(session: ImapSession, folder: SelectedFolder, newRows: NewRows): Promise<FolderChanges> {
  if (folder.selectedAt.modseq === 0) {
    throw mailUnavailable(new Error('The mail server keeps no modification sequences for this folder'))
  }
  const start = { ...folder.selectedAt, uidNext: 1 }
  folder.report(start, 0)
  if (!session.qresync) folder.uids = []
  return present(folder, start, await nextRows(session, folder, newRows), noDelta, true)
}

/** A step of the messages above those of the reader. The following step is requested already, so that the server reads it
 *  while the reader applies this one. */
async function nextRows(session: ImapSession, folder: SelectedFolder, newRows: NewRows): Promise<ThreadRowsReader> {
  const places = placesFrom(folder, folder.below + 1)
  if (!places) return newRows()
  const rows = await (folder.rowsReadAhead(places) ?? read(session, newRows(), places))
  const wanted = places.last - places.first + 1
  folder.grow(rows.uids, wanted)
  if (rows.uids.length === wanted) {
    const next = placesFrom(folder, places.last + 1)
    if (next) folder.ahead = { ...next, rows: read(session, newRows(), next) }
    await readReturned(session, rows)
    return rows
  }
  // Missing ones are expunged; the server may not report that during FETCH.
  await session.connection.run(['NOOP'])
  if (folder.below - places.first + 1 === rows.uids.length) {
    await readReturned(session, rows)
    return rows
  }
  throw mailUnavailable(new Error(`Of ${wanted} messages the mail server gave ${rows.uids.length}`))
}

function placesFrom({ exists }: SelectedFolder, first: number): Places | undefined {
  return first > exists ? undefined : { first, last: Math.min(exists, first + rowsAtOnce - 1) }
}

function read(session: ImapSession, rows: ThreadRowsReader, { first, last }: Places): Promise<ThreadRowsReader> {
  const reading = readRows(session, rows, first, last).then(() => rows)
  reading.catch(() => {}) // Errors reach whoever awaits it.
  return reading
}

function present(
  folder: SelectedFolder,
  since: FolderState,
  rows: ThreadRowsReader,
  { flags, gone }: Delta,
  reset: boolean,
): FolderChanges {
  const state = { ...since, uidNext: Math.max(since.uidNext, (rows.uids.at(-1) ?? 0) + 1) }
  folder.reported = state
  const expunged = new Set([...gone, ...folder.gone.splice(0)])
  // Flags of a message are current, the state of the folder is that of the last check. If anything changed while rows were
  // read, the reader must check again. Otherwise it would have a change and lack an earlier one.
  const torn = rows.uids.length > 0 && folder.touched
  const held = [...flags].filter(([uid]) => !expunged.has(uid))
  return {
    state,
    reset,
    more: torn || folder.below < folder.exists,
    exists: folder.exists,
    rows: rows.rows(),
    flags: { uid: Uint32Array.from(held, ([uid]) => uid), seen: Uint8Array.from(held, ([, seen]) => (seen ? 1 : 0)) },
    expunged: Uint32Array.from(expunged),
  }
}

/** The number of messages with lower uids, by binary search: 17 requests for 100,000 messages. */
async function countBelow(session: ImapSession, folder: SelectedFolder, uid: number): Promise<number> {
  let [low, high] = [0, folder.exists]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await uidAt(session, middle + 1)) < uid) low = middle + 1
    else high = middle
  }
  return low
}

async function uidAt(session: ImapSession, place: number): Promise<number> {
  let uid = 0
  await fetch(session.connection, `FETCH ${place} (UID)`, 'UID', (message, { number }) => {
    // With flags it reports a change.
    if (number !== place || message.has('FLAGS')) return false
    uid = message.uid
    return undefined
  })
  if (uid === 0) throw mailUnavailable(new Error('The mail server lacks a message that it counts'))
  return uid
}

function equal(one: FolderState, other: FolderState): boolean {
  return one.uidValidity === other.uidValidity && one.modseq === other.modseq && one.uidNext === other.uidNext
}
