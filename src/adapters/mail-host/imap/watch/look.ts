import { timeouts } from '../client/connection.ts'
import { Fetched } from '../client/fetch.ts'
import { bytesOf, type Data } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { numbersIn } from '../client/syntax.ts'
import type { Layout } from '../folders/layout.ts'
import { flagsIn } from '../reading/contents.ts'
import { marksText } from './own-changes.ts'

/** How a folder was when it was looked at last. */
export interface Remembered {
  readonly name: string
  readonly uidValidity: number
  readonly uidNext: number
  /** 0 where the server keeps none. */
  readonly modseq: number
  /** With uids below `uidNext`. */
  readonly messages: number
}

/** What a look at a folder found. */
export interface FolderLook {
  /** Undefined where nothing is known of the folder, or it is another one by now: then nothing is told. */
  readonly before: Remembered | undefined
  readonly after: Remembered
  /** Flags and keywords by uid (`marksText`), of messages that were there and that have changed. */
  readonly changed: ReadonlyMap<number, string>
  /** The same, of messages that have come. */
  readonly came: ReadonlyMap<number, string>
  readonly gone: readonly number[]
  /** More messages have come than are told at a time. */
  readonly more: boolean
}

/** New messages of a folder in one look. */
const mostNew = 1_000
/** A server that names more as gone is not believed. */
const mostGone = 1_000_000

const nothing = { changed: new Map<number, string>(), came: new Map<number, string>(), gone: [], more: false }

/** Looks at all folders, and into those whose state is another one than at the last look. */
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
    // A folder that got another name keeps its UIDVALIDITY. What is in one that is new has come.
    const before =
      known.get(now.name) ??
      lost.find(({ uidValidity }) => uidValidity === now.uidValidity) ??
      (first ? undefined : { ...now, uidNext: 1, modseq: 0, messages: 0 })
    looks.push((await lookInto(session, path, now, before)) ?? { before: undefined, after: now, ...nothing })
  }
  return looks
}

/** Undefined where it cannot be told what has changed. */
async function lookInto(
  session: ImapSession,
  path: string,
  now: Remembered,
  before: Remembered | undefined,
): Promise<FolderLook | undefined> {
  if (!before || !isLater(now, before)) return undefined
  if (now.uidNext === before.uidNext && now.modseq === before.modseq) return { before, after: now, ...nothing }
  // What SELECT says of the folder is what the commands after it see.
  const folder = await session.selectAnew(path)
  if (!folder || !isLater({ ...now, ...folder.selectedAt }, before)) return undefined
  const { exists, selectedAt } = folder
  const { changed, gone } = await changesIn(session, before, selectedAt.modseq)
  const last = Math.min(selectedAt.uidNext - 1, before.uidNext + mostNew - 1)
  const came = await newIn(session, before.uidNext, last)
  const more = last < selectedAt.uidNext - 1
  const counted = before.messages - gone.length + came.size
  // A server that has forgotten what went names all uids that it does not have, also those that went long ago (RFC 7162, section 3.2.5).
  const believed = more || counted === exists
  const messages = believed ? counted : exists
  const after = { ...now, ...selectedAt, uidNext: last + 1, messages }
  return { before, after, changed, came, gone: believed ? gone : [], more }
}

/** Not another folder by the same name, nor one from a backup. */
function isLater(now: Remembered, before: Remembered): boolean {
  return now.uidValidity === before.uidValidity && now.uidNext >= before.uidNext && now.modseq >= before.modseq
}

/** What changed and went of the messages that were there, up to a modification sequence. */
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
      // With EARLIER; without it is about what came after SELECT.
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
