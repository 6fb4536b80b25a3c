import type { Reply } from '#/app/control/protocol.ts'
import type { Answer, OnProgress, Operator } from './command.ts'
import { commands } from './commands.ts'
import { errorText } from './error-text.ts'
import { helpFor } from './help.ts'
import { parseCall, UsageError } from './parse.ts'

/** Runs one command. Never rejects: the reply has the error. Exit codes: 0 done, 1 refused or failed, 2 usage error. */
export async function runCommand(
  argv: readonly string[],
  operator: Operator,
  onProgress: OnProgress = () => {},
): Promise<Reply> {
  try {
    const { command, given, json, help } = parseCall(argv, commands)
    if (help) return { stdout: helpFor(command), stderr: '', exitCode: 0 }
    return present(await command.run(operator, given, throttled(onProgress)), json)
  } catch (error) {
    return failure(error)
  }
}

/** How often progress is reported, in milliseconds. */
const reportEvery = 1_000

function throttled(onProgress: OnProgress): OnProgress {
  let last = performance.now()
  return (progress) => {
    if (performance.now() < last + reportEvery) return
    last = performance.now()
    onProgress(progress)
  }
}

export function present({ value, text, exitCode = 0 }: Answer, json: boolean): Reply {
  const stdout = value === undefined ? '' : `${json ? JSON.stringify(value, undefined, 2) : text}\n`
  return { stdout, stderr: '', exitCode }
}

/** The reply for an error. */
export function failure(error: unknown): Reply {
  return { stdout: '', stderr: `mailroom: ${errorText(error)}\n`, exitCode: error instanceof UsageError ? 2 : 1 }
}
