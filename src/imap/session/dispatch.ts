import { Bad, type Completed, No } from '../answers.ts'
import type { Command } from '../wire/arguments.ts'
import type { Handler, Session } from './session.ts'

export interface Commands {
  /** The commands of a client that has signed in, by their names. */
  readonly commands: ReadonlyMap<string, Handler>
  /** Tells what has changed in the selected mailbox, after each command. */
  readonly tell: (session: Session, how: { readonly mayExpunge: boolean }) => Promise<void>
}

/** While these are answered, no EXPUNGE may be sent: sequence numbers would change under the client (RFC 9051, section 7.5.1). */
const numbering = new Set(['FETCH', 'STORE', 'SEARCH', 'SORT', 'THREAD'])

/** Carries a command out, and tells what has changed, also if it was refused. */
export async function dispatch({ commands, tell }: Commands, user: Session, command: Command): Promise<Completed> {
  const handler = commands.get(command.name)
  if (!handler) throw new Bad('Unknown command')
  const how = { mayExpunge: !numbering.has(command.name) }
  try {
    const completed = await handler(user, command)
    await tell(user, how)
    return completed
  } catch (error) {
    if (error instanceof No) await tell(user, how)
    throw error
  }
}
