import { expungeMarked, markedDeleted } from '#/mail/store/expunge.ts'
import { progress } from '../selected/progress.ts'
import { closeSelected } from '../selected/select.ts'
import { contains } from '../selected/sequence-map.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import { highest } from './copy.ts'
import { changeable } from './target.ts'

/** EXPUNGE and UID EXPUNGE (RFC 9051, sections 6.4.3 and 6.4.9). That the messages are gone is told after the command, as whatever else has changed. */
export const expunge: Handler = async (session, command) => {
  const { args, name } = command
  const selected = changeable(session)
  let among: readonly NumberRange[] | undefined
  if (name === 'UID EXPUNGE') {
    args.space()
    among = selected.messages.uidRanges(args.sequenceSet(), 'uid', selected.savedSearch)
  }
  args.end()
  const modseq = await expungeDeleted(session, command, among)
  return { text: 'Expunge completed', ...highest(session, modseq) }
}

/** CLOSE (RFC 9051, section 6.4.1): EXPUNGE of which nothing is told, and no mailbox is selected after. */
export const close: Handler = async (session, command) => {
  command.args.end()
  const modseq = session.needSelected().isReadOnly ? undefined : await expungeDeleted(session, command)
  closeSelected(session)
  return { text: 'Close completed', ...highest(session, modseq) }
}

/** Deletes the messages with `\Deleted` for good, or those of them among uids, in steps between which others are served. Answers the
 *  modification sequence after the last; undefined if there was none. */
async function expungeDeleted(
  session: Session,
  command: Command,
  among?: readonly NumberRange[],
): Promise<number | undefined> {
  const { db } = session.parts
  const selected = session.needSelected()
  let last: number | undefined
  let done = 0
  for await (const uids of markedDeleted(db, selected, among && ((uid) => contains(among, uid)))) {
    const { gone, modseq } = await db.transaction().execute((tx) => expungeMarked(tx, selected, uids, session.user.by))
    if (gone > 0) last = modseq
    done += gone
    await session.turn()
    await progress(session, command, done)
  }
  return last
}
