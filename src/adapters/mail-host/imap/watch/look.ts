import { timeouts } from '../client/connection.ts'
import { Fetched } from '../client/fetch.ts'
import { bytesOf, type Data } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { numbersIn } from '../client/syntax.ts'
import type { Layout } from '../folders/layout.ts'
import { flagsIn } from '../reading/contents.ts'
import { marksText } from './own-changes.ts'

/** The state of a folder at the last look. */
export interface Remembered {
  readonly name: string
  readonly uidValidity: number
  readonly uidNext: number
  /** 0 if the server keeps none. */
  readonly modseq: number
  /** Messages with uids below `uidNext`. */
  readonly messages: number
}

/** The result of a look at a folder. */
export interface FolderLook {
  /** Undefined if the folder was unknown, or is another one by now: then there are no events. */
  readonly before: Remembered | undefined
  readonly after: Remembered
  /** Flags and keywords by uid (`marksText`) of known messages that have changed. */
  readonly changed: ReadonlyMap<number, string>
  /** The same of new messages. */
  readonly came: ReadonlyMap<number, string>
  readonly gone: readonly number[]
  /** More messages are new than one look reports. */
  readonly more: boolean
}

/** New messages of a folder in one look. */
const mostNew = 1_000
/** A report of more expunged messages is ignored. */
const mostGone = 1_000_000

const nothing = { changed: new Map<number, string>(), came: new Map<number, string>(), gone: [], more: false }

/** Looks at all folders, and reads those whose state has changed since the last look. */
export async function lookAround(
  session: ImapSession,
  layout: Layout,
  remembered: readonly Remembered[],
  first: boolean,
): Promise<FolderLook[]> {
  const listed = await layout.statuses(session)
  const folders = listed
    .map(({ name, path, state, total: messages }) => ({ name, path, ...state, messages }))
    .filter(({ uidValidity, uidNext }) => uidValidity > 0 && uidNext > 0)
  const known = new Map(remembered.map((one) => [one.name, one]))
  const lost = remembered.filter(({ name }) => !folders.some((folder) => folder.name === name))
  const looks: FolderLook[] = []
  for (const { path, ...now } of folders) {
    // A renamed folder keeps its UIDVALIDITY. All messages of a new folder are new.
    const before =
      known.get(now.name) ??
      lost.find(({ uidValidity }) => uidValidity === now.uidValidity) ??
      (first ? undefined : { ...now, uidNext: 1, modseq: 0, messages: 0 })
    looks.push((await lookInto(session, path, now, before)) ?? { before: undefined, after: now, ...nothing })
  }
  return looks
}

/** Undefined if changes cannot be determined. */
async function lookInto(
  session: ImapSession,
  path: string,
  now: Remembered,
  before: Remembered | undefined,
): Promise<FolderLook | undefined> {
  if (!before || !isLater(now, before)) return undefined
  if (now.uidNext === before.uidNext && now.modseq === before.modseq) return { before, after: now, ...nothing }
  // Later commands see the folder as of SELECT.
  const folder = await session.selectAnew(path)
  if (!folder || !isLater({ ...now, ...folder.selectedAt }, before)) return undefined
  const { exists, selectedAt } = folder
  const { changed, gone } = await changesIn(session, before, selectedAt.modseq)
  const last = Math.min(selectedAt.uidNext - 1, before.uidNext + mostNew - 1)
  const came = await newIn(session, before.uidNext, last)
  const more = last < selectedAt.uidNext - 1
  const counted = before.messages - gone.length + came.size
  // A server without records of expunged messages lists all missing uids, also old ones (RFC 7162, section 3.2.5).
  const believed = more || counted === exists
  const messages = believed ? counted : exists
  const after = { ...now, ...selectedAt, uidNext: last + 1, messages }
  return { before, after, changed, came, gone: believed ? gone : [], more }
}

/** Not another folder with the same name, nor one from a backup. */
function isLater(now: Remembered, before: Remembered): boolean {
  return now.uidValidity === before.uidValidity && now.uidNext >= before.uidNext && now.modseq >= before.modseq
}

/** Changed and expunged messages among the known ones, up to a modification sequence. */
async function changesIn(
  { connection, qresync }: ImapSession,
  { uidNext, modseq }: Remembered,
  upTo: number,
): Promise<{ changed: Map<number, string>; gone: number[] }> {
  const changed = new Map<number, string>()
  const gone: number[] = []
  if (uidNext === 1 || modseq === 0 || upTo === modseq) return { changed, gone }
  const onData = (data: Data) => {
    if (data.name === 'VANISHED') {
      // With EARLIER; without it the response concerns changes after SELECT.
      if (data.values.length < 2) return false
      gone.push(...(numbersIn(bytesOf(data.values[1])?.toString('latin1') ?? '', mostGone) ?? []))
      return true
    }
    const message = data.name === 'FETCH' ? new Fetched(data) : undefined
    if (!message?.has('FLAGS') || message.uid === 0 || message.uid >= uidNext) return false
    if (message.modseq > upTo) return false
    changed.set(message.uid, marksText(flagsIn(message.flags)))
    return true
  }
  const modifiers = `CHANGEDSINCE ${modseq}${qresync ? ' VANISHED' : ''}`
  const command = `UID FETCH 1:${uidNext - 1} (UID FLAGS) (${modifiers})`
  await connection.run([command], { onData, timeout: timeouts.wholeFolder })
  return { changed, gone: gone.filter((uid) => uid < uidNext) }
}

async function newIn({ connection }: ImapSession, first: number, last: number): Promise<Map<number, string>> {
  const came = new Map<number, string>()
  if (first > last) return came
  const onData = (data: Data) => {
    const message = data.name === 'FETCH' ? new Fetched(data) : undefined
    if (!message?.has('FLAGS') || message.uid < first || message.uid > last) return false
    came.set(message.uid, marksText(flagsIn(message.flags)))
    return true
  }
  await connection.run([`UID FETCH ${first}:${last} (UID FLAGS)`], { onData, timeout: timeouts.wholeFolder })
  return came
}
