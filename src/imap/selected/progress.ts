import type { Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import { statusLine } from '../wire/format.ts'

/** How often a client is told at most, in milliseconds. */
const everyMs = 10_000

/** When a command began, or its client was last told. */
const toldAt = new WeakMap<Command, number>()

/** To be called again and again by a command that may take long, so that its client does not take the server for dead: tells it how
 *  much is done (RFC 9585) once the command lasts ten seconds, and every ten seconds then. Undefined for a total that is not known. */
export async function progress(session: Session, command: Command, done: number, total?: number): Promise<void> {
  const now = session.parts.clock.now()
  const last = toldAt.get(command)
  if (last !== undefined && now - last < everyMs) return
  toldAt.set(command, now)
  if (last === undefined) return
  const code = `INPROGRESS ("${command.tag}" ${done} ${total ?? 'NIL'})`
  await session.output.write(statusLine('*', 'OK', 'Still at work', code))
}
