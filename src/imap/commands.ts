import { changingCommands } from './changing/commands.ts'
import { fetchCommands } from './fetch/commands.ts'
import { folderCommands } from './folders/commands.ts'
import { searchCommands } from './search/commands.ts'
import { selectedCommands } from './selected/commands.ts'
import { sessionCommands } from './session/commands.ts'
import type { Handler } from './session/session.ts'

/** The commands of a client that has signed in, by their names. */
export const commands: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    ...sessionCommands,
    ...folderCommands,
    ...selectedCommands,
    ...changingCommands,
    ...fetchCommands,
    ...searchCommands,
  }),
)
