import { hash } from 'node:crypto'
import type { MovedMessages, Moving } from '#/ports/recording.ts'
import { unlessRefused } from '../client/errors.ts'
import { fetchUids } from '../client/fetch.ts'
import { mailbox } from '../client/mailbox-name.ts'
import type { Data } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { uidSet } from '../client/syntax.ts'
import { countsIn } from '../folders/layout.ts'
import type { SelectedFolder } from '../folders/selected-folder.ts'
import { numbers, uidsAfter } from '../reading/list.ts'

/** Recorded before messages of the selected folder are moved, so that they can be found if the process dies before it reads where
 *  they are. */
export async function movingTo(
  session: ImapSession,
  { name, path }: { readonly name: string; readonly path: string },
  uids: readonly number[],
): Promise<Moving> {
  let counts: ReadonlyMap<string, number> = new Map()
  const onData = ({ name: of, values }: Data) => {
    if (of === 'STATUS') counts = countsIn(values[1])
    return of === 'STATUS'
  }
  // A missing folder is created by the move.
  await session.connection.run([`STATUS ${mailbox(path)} (UIDVALIDITY UIDNEXT)`], { onData }).catch(unlessRefused)
  const [key = 0, next = 1] = [counts.get('UIDVALIDITY'), counts.get('UIDNEXT')]
  return { to: name, key, lastUid: next - 1, marks: [...(await marksOf(session, uids))] }
}

/** Those of the moved messages that are in the selected folder, in the order in which they were moved. */
export async function foundMoved(
  session: ImapSession,
  { selectedAt: { uidValidity } }: SelectedFolder,
  { key, lastUid, marks }: Moving,
): Promise<MovedMessages> {
  const uids = new Map<number, number>()
  if (key !== 0 && key !== uidValidity) return { key: uidValidity, uids }
  const here = await marksOf(session, await uidsAfter(session, lastUid, mostLookedAt))
  const byMark = Map.groupBy(here.keys(), (uid) => here.get(uid))
  for (const [uid, mark] of marks) {
    const now = byMark.get(mark)?.shift()
    if (now !== undefined) uids.set(uid, now)
  }
  return { key: uidValidity, uids }
}

/** Messages that may have come to a folder since some were moved to it. */
const mostLookedAt = 100_000

/** Those of the uids that are in the folder that is selected. */
export async function stillThere(session: ImapSession, uids: readonly number[]): Promise<number[]> {
  return uids.length === 0 ? [] : await numbers(session, 'SEARCH', `UID ${uidSet(uids)}`)
}

const messageId = 'BODY[HEADER.FIELDS (MESSAGE-ID)]'

/** Properties that a move keeps and that few messages share, by uid in ascending order. */
async function marksOf({ connection }: ImapSession, rising: readonly number[]): Promise<Map<number, string>> {
  const marks = new Map<number, string>()
  const items = `INTERNALDATE RFC822.SIZE ${messageId.replace('BODY', 'BODY.PEEK')}`
  await fetchUids(connection, rising, items, messageId, (message) => {
    const text = `${message.receivedAt} ${message.size} ${message.octets(messageId)?.toString('latin1') ?? ''}`
    marks.set(message.uid, hash('sha256', text, 'base64url').slice(0, 16))
    return undefined
  })
  return new Map([...marks].sort(([a], [b]) => a - b))
}
