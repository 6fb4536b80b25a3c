import { type Logger, pino } from 'pino'

/** The log of a server that runs by itself. */
export function serverLog(level: string): Logger {
  return pino({ level, serializers: { err: describeError } }, logDestination(2))
}

/** Where log lines go: a file descriptor or a path. They are written together, since a call of the system for each takes a
 *  twentieth of what a request or a message takes. What has gathered is written as the process ends, however it ends but
 *  by SIGKILL. */
export function logDestination(dest: number | string) {
  return pino.destination({ dest, sync: false, minLength: 8 * 1024, periodicFlush: 100 })
}

/** An error as the log has it: never the rows and parameters that a database error carries. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
