import type { Reply } from '#/control/protocol.ts'
import { Refusal } from '#/errors.ts'
import type { Answer, Operator, Tell } from './command.ts'
import { commands } from './commands.ts'
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
  return { stdout: '', stderr: `mailroom: ${wordsFor(error)}\n`, exitCode: error instanceof UsageError ? 2 : 1 }
}

export function wordsFor(error: unknown): string {
  if (error instanceof Refusal) {
    const { message, fix, cause } = error
    // An operator can do something about why.
    if (error.code === 'mail_unavailable' && cause instanceof Error) return `${message}. ${wordsFor(cause)}`
    return fix === undefined ? message : `${message}. ${fix}`
  }
  if (!(error instanceof Error)) return String(error)
  // A connection that was refused on every address of a host is an AggregateError without words of its own.
  const { code } = error as NodeJS.ErrnoException
  return (
    error.message || (error instanceof AggregateError && error.errors.map(wordsFor).join('; ')) || code || error.name
  )
}
