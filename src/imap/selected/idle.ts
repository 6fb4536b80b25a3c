import { Bad, Bye } from '../answers.ts'
import type { Handler, Session } from '../session/session.ts'
import { attentionOf, lookAgainLater } from './attention.ts'

/** IDLE (RFC 2177): tells the client of changes as they are made, until it says DONE or the session ends. Without a selected mailbox it only
 *  waits, as the RFC has it for a session that has signed in. */
export const idle: Handler = async (session, { args }) => {
  args.end()
  let isOver = false
  let wake: () => void = () => {}
  const line = session.ask('idling')
  const over = () => {
    isOver = true
    wake()
  }
  line.then(over, over)
  const attention = attentionOf(session)
  try {
    while (!isOver) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = attention.idle = resolve
      await session.atWork(() => attention.tell()).catch((error: unknown) => later(session, error, resolve))
      if (!isOver) await promise
    }
  } finally {
    attention.idle = undefined
  }
  if ((await line).trim().toUpperCase() !== 'DONE') throw new Bad('Expected DONE')
  return { text: 'Idle completed' }
}

/** The client's DONE is still to be read, so a database that does not answer must not end the command. @throws what ends the session */
function later(session: Session, error: unknown, wake: () => void): void {
  if (error instanceof Bye || session.signal.aborted) throw error
  lookAgainLater(session, wake)
}
