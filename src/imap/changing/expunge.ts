import { expungeMarked, markedDeleted } from '#/mail/expunge.ts'
import { leave } from '../selected/select.ts'
import type { Selected } from '../selected/selected.ts'
import type { Handler, Session } from '../session/session.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import { highest } from './copy.ts'
import { changeable } from './target.ts'

/** EXPUNGE and UID EXPUNGE (RFC 9051, sections 6.4.3 and 6.4.9). That the messages are gone is told after the command, as whatever else has changed. */
export const expunge: Handler = async (session, { args, name }) => {
  const selected = changeable(session)
  let among: readonly NumberRange[] | undefined
  if (name === 'UID EXPUNGE') {
    args.space()
    among = selected.messages.uidRanges(args.sequenceSet(), 'uid', selected.savedSearch)
  }
  args.end()
  const modseq = await expungeDeleted(session, selected, among)
  return { text: 'Expunge completed', ...(modseq !== undefined && highest(session, modseq)) }
}

/** CLOSE (RFC 9051, section 6.4.1): EXPUNGE of which nothing is told, and no mailbox is selected after. */
export const close: Handler = async (session, { args }) => {
  args.end()
  const selected = session.needSelected()
  if (!selected.isReadOnly) await expungeDeleted(session, selected)
  leave(session)
  return { text: 'Close completed' }
}

/** Deletes the messages with `\Deleted` for good, or those of them among uids, in steps between which others are served. Answers the
 *  modification sequence after the last; undefined if there was none. */
async function expungeDeleted(
  session: Session,
  selected: Pick<Selected, 'mailbox' | 'folderId'>,
  among?: readonly NumberRange[],
): Promise<number | undefined> {
  const {
    parts: { db },
    user,
  } = session
  let last: number | undefined
  const ref = { mailbox: selected.mailbox, folderId: selected.folderId }
  for await (const uids of markedDeleted(db, ref, among && ((uid) => isIn(among, uid)))) {
    const { gone, modseq } = await db.transaction().execute((tx) => expungeMarked(tx, ref, uids, user.by))
    if (gone > 0) last = modseq
    await session.turn()
  }
  return last
}

/** Ranges are in ascending order, and there may be many. */
function isIn(ranges: readonly NumberRange[], uid: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.to ?? 0) < uid) low = middle + 1
    else high = middle
  }
  return (ranges[low]?.from ?? Number.POSITIVE_INFINITY) <= uid
}
