import { invalid, notFound } from '#/errors.ts'
import type { Change } from '#/ports/mail-host.ts'
import { normalKeywords } from '../keywords.ts'
import { patience } from './connection.ts'
import { makeFolder } from './layout.ts'
import { folderRefused, ofFolder, refused } from './refused.ts'
import { bytesOf, type Status } from './response.ts'
import type { SelectedFolder } from './selected-folder.ts'
import type { Session } from './session.ts'
import { CommandRefused } from './trouble.ts'
import { numbersIn, quoted, uidSet } from './words.ts'

/** A server may answer a change of very many messages late. */
const wait = patience.whole

/** The commands that a change of flags takes, checked against what the folder keeps.
 *  @throws invalid for a keyword that no server keeps, or that this one would forget */
export function flagCommands(folder: SelectedFolder, { seen, flagged, addKeywords, removeKeywords }: Change): string[] {
  const added = normalKeywords(addKeywords ?? [])
  const removed = normalKeywords(removeKeywords ?? [])
  const on = [...(seen === true ? ['\\Seen'] : []), ...(flagged === true ? ['\\Flagged'] : []), ...added]
  const off = [...(seen === false ? ['\\Seen'] : []), ...(flagged === false ? ['\\Flagged'] : []), ...removed]
  for (const flag of on) {
    if (folder.keeps(flag.toLowerCase())) continue
    throw flag.startsWith('\\')
      ? invalid('folder', `The mail server keeps no ${flag} on messages of this folder`)
      : invalid('keywords', `The mail server keeps no more keywords in this folder, and ${flag} is none that it has`)
  }
  return [
    ...(on.length > 0 ? [`+FLAGS (${on.join(' ')})`] : []),
    ...(off.length > 0 ? [`-FLAGS (${off.join(' ')})`] : []),
  ]
}

/** Not SILENT, so that whoever follows the folder on this session need not ask. */
export async function store({ connection }: Session, uids: readonly number[], command: string): Promise<void> {
  await connection.run([`UID STORE ${uidSet(uids)} ${command}`], undefined, wait)
}

/** Refuses a move that would lose keywords: the other folder may keep fewer. */
export async function assertKept(
  session: Session,
  from: SelectedFolder,
  to: string,
  keywords: ReadonlySet<string>,
): Promise<void> {
  if (keywords.size === 0) return
  const target = await session.select(to)
  const lost = target && [...keywords].find((keyword) => !target.keeps(keyword))
  await session.select(from.path)
  if (lost !== undefined) {
    throw invalid('folder', `The mail server keeps no more keywords in that folder, and ${lost} is none that it has`)
  }
}

/** Moves messages to another folder, making it where it lacks. Answers their uids there, by those they had.
 *  @throws invalid where the server refuses the folder */
export async function move(session: Session, uids: readonly number[], to: string): Promise<Map<number, number>> {
  try {
    return await moveTo(session, uids, to)
  } catch (error) {
    if (!(error instanceof CommandRefused && error.code === 'TRYCREATE')) throw ofFolder(error)
    await makeFolder(session, to).catch((failure) => {
      // Whatever its code, it is about the folder: nothing else was asked for.
      throw failure instanceof CommandRefused && refused(failure)?.lasting !== 'for now'
        ? folderRefused(failure)
        : failure
    })
    return moveTo(session, uids, to)
  }
}

/** RFC 6851, or by its parts where the server lacks it. COPYUID (RFC 4315) comes with the end of COPY, before that of MOVE. */
async function moveTo(session: Session, uids: readonly number[], to: string): Promise<Map<number, number>> {
  const { connection } = session
  const set = uidSet(uids)
  const path = quoted(to)
  if (!connection.can('MOVE')) {
    const moved = copied(await connection.run([`UID COPY ${set} ${path}`], undefined, wait))
    await expunge(session, uids)
    return moved
  }
  let moved = new Map<number, number>()
  const take = (data: { name: string; values: Status['code'] }) => {
    if (data.name === '[COPYUID]') moved = copied({ code: ['COPYUID', ...data.values] })
    return data.name === '[COPYUID]'
  }
  const end = await connection.run([`UID MOVE ${set} ${path}`], take, wait)
  return moved.size > 0 ? moved : copied(end)
}

function copied({ code: [name, , from, to] }: Pick<Status, 'code'>): Map<number, number> {
  if (name !== 'COPYUID') throw notFound('message')
  const [before, after] = [from, to].map((set) => numbersIn(bytesOf(set)?.toString('latin1') ?? '', 1_000_000) ?? [])
  return new Map(before?.map((uid, index) => [uid, after?.[index] ?? 0]))
}

/** Removes messages for good, and no others that may be marked as deleted (RFC 4315). */
export async function expunge(session: Session, uids: readonly number[]): Promise<void> {
  await store(session, uids, '+FLAGS (\\Deleted)')
  await session.connection.run([`UID EXPUNGE ${uidSet(uids)}`], undefined, wait)
}
