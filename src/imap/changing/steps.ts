import { progress } from '../selected/progress.ts'
import type { Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'

/** Messages of one transaction, which blocks the embedded database, and on a server the folder. */
const mostMessages = 500

/** Works through uids in steps, between which others are served and the client is told how far it is. Each step is given one transaction's
 *  share. */
export async function inSteps(
  session: Session,
  command: Command,
  uids: Iterable<number>,
  step: (some: readonly number[]) => Promise<void>,
): Promise<void> {
  let some: number[] = []
  let done = 0
  await progress(session, command, done)
  for (const uid of uids) {
    if (some.length === mostMessages) {
      await step(some)
      await session.turn()
      done += some.length
      await progress(session, command, done)
      some = []
    }
    some.push(uid)
  }
  if (some.length > 0) await step(some)
}
