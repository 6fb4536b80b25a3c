import type { Session } from '../session/session.ts'

/** Messages of one transaction, which blocks the embedded database, and on a server the folder. */
const mostMessages = 500

/** Works through uids in steps, between which others are served. Each step is given one transaction's share. */
export async function inSteps(
  session: Pick<Session, 'turn'>,
  uids: Iterable<number>,
  step: (some: readonly number[]) => Promise<void>,
): Promise<void> {
  let some: number[] = []
  for (const uid of uids) {
    if (some.length === mostMessages) {
      await step(some)
      await session.turn()
      some = []
    }
    some.push(uid)
  }
  if (some.length > 0) await step(some)
}
