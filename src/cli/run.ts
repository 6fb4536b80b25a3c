import type { Reply } from '#/control/protocol.ts'
import type { Answer, Operator, Tell } from './command.ts'
import { commands } from './commands.ts'
import { errorText } from './error-text.ts'
import { helpFor } from './help.ts'
import { parseCall, UsageError } from './parse.ts'

/** Runs one command against the operator's database. Never rejects: what goes wrong is told in the reply. Exit codes:
 *  0 done, 1 refused or failed, 2 not understood. */
export async function runCommand(argv: readonly string[], operator: Operator, tell: Tell = () => {}): Promise<Reply> {
  try {
    const { command, given, json, help } = parseCall(argv, commands)
    if (help) return { stdout: helpFor(command), stderr: '', exitCode: 0 }
    return present(await command.run(operator, given, nowAndThen(tell)), json)
  } catch (error) {
    return failure(error)
  }
}

/** Somebody who waits wants to hear something once in a while, in milliseconds. */
const tellEvery = 1_000

function nowAndThen(tell: Tell): Tell {
  let last = performance.now()
  return (progress) => {
    if (performance.now() < last + tellEvery) return
    last = performance.now()
    tell(progress)
  }
}

export function present({ value, text, exitCode = 0 }: Answer, json: boolean): Reply {
  const stdout = value === undefined ? '' : `${json ? JSON.stringify(value, undefined, 2) : text}\n`
  return { stdout, stderr: '', exitCode }
}

/** The reply of a command that could not be done. */
export function failure(error: unknown): Reply {
  return { stdout: '', stderr: `mailroom: ${errorText(error)}\n`, exitCode: error instanceof UsageError ? 2 : 1 }
}
