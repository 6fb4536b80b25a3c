import { mailUnavailable } from '#/errors.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import { fetch } from '../client/fetch.ts'
import type { ImapSession } from '../client/session.ts'
import type { Places, SelectedFolder } from '../folders/selected-folder.ts'
import { type Delta, noDelta, readDelta } from './delta.ts'
import { readReturned } from './read-returned.ts'
import { readRows } from './read-rows.ts'
import type { ThreadRowsReader } from './thread-rows.ts'

/** New messages in a step: each step asks the database whose mailbox it is and the server what has changed, and its reader
 *  takes it up in one go, some 3 ms. With 2,048 a first read takes a tenth more CPU time; with 8,192 none less, and it holds
 *  the event loop for twice as long. */
const rowsAtOnce = 4096

type NewRows = () => ThreadRowsReader

/** The next step for a reader that holds `since`, of a folder that was looked at just now: where nothing has changed since
 *  the last step on this connection, that look was all. Undefined where the folder has gone meanwhile. */
export async function changes(
  session: ImapSession,
  given: SelectedFolder,
  newRows: NewRows,
  since: FolderState | undefined,
): Promise<FolderChanges | undefined> {
  // The reader was told by another connection what this one has not heard of.
  const behind = since && session.qresync && since.modseq > given.highestKnown
  const folder = behind ? await session.selectAnew(given.path) : given
  if (!folder) return undefined
  try {
    if (since && isUnchanged(session, folder, since)) {
      folder.tell(since, folder.exists)
      return present(folder, since, newRows(), noDelta, false)
    }
    const followed = since && (await follow(session, folder, newRows, since))
    if (followed) return followed
    // What was selected a moment ago, and not used yet, is as new as can be.
    const fresh = folder.told || folder.touched ? await session.selectAnew(folder.path) : folder
    return fresh && (await startAfresh(session, fresh, newRows))
  } catch (error) {
    // A step that nobody got.
    if (session.selected) session.selected.told = undefined
    throw error
  }
}

function isUnchanged(session: ImapSession, folder: SelectedFolder, since: FolderState): boolean {
  if (folder.touched) return false
  if (folder.told) return equal(folder.told, since) && folder.below === folder.exists
  return session.qresync && equal(folder.selectedAt, since)
}

/** Undefined where the reader must start afresh. */
async function follow(
  session: ImapSession,
  folder: SelectedFolder,
  newRows: NewRows,
  since: FolderState,
): Promise<FolderChanges | undefined> {
  const here = folder.told !== undefined && equal(folder.told, since)
  if (since.uidValidity !== folder.selectedAt.uidValidity) return undefined
  // What went while others followed the folder, or nobody did, is told by QRESYNC alone. And it tells nothing of a time
  // that the server does not know of, as after its data was brought back from a copy.
  if (!here && (!session.qresync || since.modseq > folder.highestKnown)) return undefined
  if (!here) folder.tell(since, 0)
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
  folder.tell(start, 0)
  if (!session.qresync) folder.uids = []
  return present(folder, start, await nextRows(session, folder, newRows), noDelta, true)
}

/** What of the folder lies above what its reader holds, a step of it. The step after it is asked for already, so that the
 *  server reads it while our reader takes up this one. */
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
  // Those that lack have gone, and the server may not say so while it answers FETCH.
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
  reading.catch(() => {}) // whoever waits for it hears of it
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
  folder.told = state
  const expunged = new Set([...gone, ...folder.gone.splice(0)])
  // What the server says of a message are its flags of this moment, and of the folder what was so at the last look. So after
  // rows during which anything has changed the reader must look again, or it would know of a change and not of one before it.
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

/** How many messages have lower uids: they lie in the order of their uids, so it takes 17 looks in 100,000. */
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
    // With flags it tells of a change.
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
