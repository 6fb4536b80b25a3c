import { invalid, notFound } from '#/errors.ts'
import { applier, differ } from '#/mail/changed.ts'
import { normalKeywords } from '#/mail/normal-keywords.ts'
import type { Change, MailboxRef } from '#/ports/mail-host.ts'
import type { Did, Held, Moving } from '#/ports/recording.ts'
import { timeouts } from '../client/connection.ts'
import { CommandRefused } from '../client/errors.ts'
import { mailbox } from '../client/mailbox-name.ts'
import { numberOf, type Status, textOf } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { numbersIn, uidSet } from '../client/syntax.ts'
import { type Layout, makeFolder } from '../folders/layout.ts'
import type { SelectedFolder } from '../folders/selected-folder.ts'
import { readFlags } from '../reading/contents.ts'
import { movingTo } from './moving.ts'
import { folderRefused, ofFolder, refused } from './refused.ts'

/** A change of very many messages may take long. */
const options = { timeout: timeouts.wholeFolder }

export interface Changing {
  readonly mailbox: MailboxRef
  /** Of the folder. */
  readonly name: string
  readonly uids: readonly number[]
  readonly change: Change
  /** Called before the change. */
  readonly intend?: ((did: Did, moving?: Moving) => Promise<void>) | undefined
}

type HeldThen = Held & { readonly modseq: number }

/** What a change did, with the messages' modification sequences before it. */
export interface Done extends Did {
  readonly present: readonly HeldThen[]
  readonly pairs: readonly { readonly before: HeldThen; readonly after: Held }[]
}

/** Changes messages of the selected folder, and answers what that did. @throws invalid if the server would not keep all of
 *  it, or refuses the target folder */
export async function update(
  session: ImapSession,
  folder: SelectedFolder,
  layout: Layout,
  { mailbox, name, uids, change, intend }: Changing,
): Promise<Done> {
  const { folder: target = name, ...flagsOnly } = change
  const commands = flagCommands(folder, change)
  const path = await layout.pathOf(session, target)
  const flags = await readFlags(session, folder, uids)
  const present = rising(flags).flatMap((uid) => {
    const held = flags.get(uid)
    return held ? [{ uid, ...held }] : []
  })
  const source = { name, key: folder.selectedAt.uidValidity }
  const apply = applier(flagsOnly)
  const afterwards = present.map((before) => ({ before, after: apply(before) }))
  const did = { mailbox, source, target: source, present, pairs: afterwards.filter(differ) }
  if (present.length === 0) return did
  const keywords = new Set(present.flatMap((one) => one.keywords).concat(change.addKeywords ?? []))
  if (path !== folder.path) await assertKept(session, folder, path, keywords)
  const there = present.map(({ uid }) => uid)
  if (path === folder.path) await intend?.(did)
  else await intend?.({ ...did, pairs: afterwards }, await movingTo(session, { name: target, path }, there))
  for (const command of commands) await store(session, there, command)
  if (path === folder.path) return did
  const { uidValidity, uids: moved } = await move(session, there, path)
  const pairs = afterwards.flatMap(({ before, after }) => {
    const uid = moved.get(before.uid)
    return uid === undefined ? [] : [{ before, after: { ...after, uid } }]
  })
  return { ...did, target: { name: target, key: uidValidity }, pairs }
}

/** Those of the uids that are in the selected folder, in ascending order. */
export async function presentUids(
  session: ImapSession,
  folder: SelectedFolder,
  uids: readonly number[],
): Promise<number[]> {
  return rising(await readFlags(session, folder, uids))
}

function rising(byUid: ReadonlyMap<number, unknown>): number[] {
  return [...byUid.keys()].sort((a, b) => a - b)
}

/** The commands for a change of flags, checked against what the folder can keep. @throws invalid for a keyword that no
 *  server keeps, or that this one would not */
function flagCommands(folder: SelectedFolder, { seen, flagged, addKeywords, removeKeywords }: Change): string[] {
  const added = normalKeywords(addKeywords ?? [])
  const removed = normalKeywords(removeKeywords ?? [])
  const on = [...(seen === true ? ['\\Seen'] : []), ...(flagged === true ? ['\\Flagged'] : []), ...added]
  const off = [...(seen === false ? ['\\Seen'] : []), ...(flagged === false ? ['\\Flagged'] : []), ...removed]
  for (const flag of on) {
    if (folder.keeps(flag.toLowerCase())) continue
    throw flag.startsWith('\\')
      ? invalid('folder', `The mail server keeps no ${flag} on messages of this folder`)
      : invalid('keywords', `The mail server accepts no new keywords in this folder, and does not have ${flag}`)
  }
  return [
    ...(on.length > 0 ? [`+FLAGS (${on.join(' ')})`] : []),
    ...(off.length > 0 ? [`-FLAGS (${off.join(' ')})`] : []),
  ]
}

/** Not SILENT, so that readers of the folder on this session get the flags. */
async function store({ connection }: ImapSession, uids: readonly number[], command: string): Promise<void> {
  await connection.run([`UID STORE ${uidSet(uids)} ${command}`], options)
}

/** Refuses a move that would lose keywords: the target folder may keep fewer. */
async function assertKept(
  session: ImapSession,
  from: SelectedFolder,
  to: string,
  keywords: ReadonlySet<string>,
): Promise<void> {
  if (keywords.size === 0) return
  const target = await session.select(to)
  const lost = target && [...keywords].find((keyword) => !target.keeps(keyword))
  await session.select(from.path)
  if (lost !== undefined) {
    throw invalid('folder', `The mail server accepts no new keywords in that folder, and does not have ${lost}`)
  }
}

/** The new places of moved messages. */
interface Moved {
  readonly uidValidity: number
  /** By their earlier uids. */
  readonly uids: ReadonlyMap<number, number>
}

/** Moves messages to another folder, and creates it if needed. @throws invalid if the server refuses the folder */
export async function move(session: ImapSession, uids: readonly number[], to: string): Promise<Moved> {
  try {
    return await moveTo(session, uids, to)
  } catch (error) {
    if (!(error instanceof CommandRefused && error.code === 'TRYCREATE')) throw ofFolder(error)
    await makeFolder(session, to).catch((failure) => {
      // Whatever its code, the refusal concerns the folder: nothing else was requested.
      throw failure instanceof CommandRefused && refused(failure)?.lasting !== 'temporary'
        ? folderRefused(failure)
        : failure
    })
    return moveTo(session, uids, to)
  }
}

/** RFC 6851, or its steps if the server lacks it. COPYUID (RFC 4315) comes with the end of COPY, but before that of MOVE. */
async function moveTo(session: ImapSession, uids: readonly number[], to: string): Promise<Moved> {
  const { connection } = session
  const set = uidSet(uids)
  if (!connection.can('MOVE')) {
    const moved = copied(await connection.run([`UID COPY ${set} ${mailbox(to)}`], options))
    await expunge(session, uids)
    return moved
  }
  let moved: Moved | undefined
  const onData = (data: { name: string; values: Status['code'] }) => {
    if (data.name === '[COPYUID]') moved = copied({ code: ['COPYUID', ...data.values] })
    return data.name === '[COPYUID]'
  }
  const end = await connection.run([`UID MOVE ${set} ${mailbox(to)}`], { ...options, onData })
  return moved ?? copied(end)
}

function copied({ code: [name, validity, from, to] }: Pick<Status, 'code'>): Moved {
  if (name !== 'COPYUID') throw notFound('message')
  const [before, after] = [from, to].map((set) => numbersIn(textOf(set), 1_000_000) ?? [])
  const uids = new Map(before?.map((uid, index) => [uid, after?.[index] ?? 0]))
  return { uidValidity: numberOf(validity), uids }
}

/** Deletes these messages for good, and no others that are marked as deleted (RFC 4315). */
export async function expunge(session: ImapSession, uids: readonly number[]): Promise<void> {
  await store(session, uids, '+FLAGS (\\Deleted)')
  await session.connection.run([`UID EXPUNGE ${uidSet(uids)}`], options)
}
