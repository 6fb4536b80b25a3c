import { type Logger, pino } from 'pino'
import { priority } from './systemd.ts'

/** The log of a server that runs by itself. */
export interface ServerLog {
  readonly log: Logger
  /** How many lines could not be written, and are lost. */
  droppedLines(): number
}

/** How much of the log waits at most until it can be written, in octets. */
const mostWaiting = 2 ** 20

/** Where the log cannot be written, because its disk is full or fails, lines wait and are then dropped: the service goes on.
 *  Once the log can be written again a line says how many are missing. */
export function serverLog(
  level: string,
  dest: number | string = 2,
  { journal = false }: { journal?: boolean } = {},
): ServerLog {
  const destination = logDestination(dest)
  const log = pino({ level, serializers: { err: describeError } }, journal ? forJournal(destination) : destination)
  let [dropped, unsaid, failing] = [0, 0, false]
  destination.on('error', () => {
    failing = true // The lines stay, and are tried again.
  })
  destination.on('write', () => {
    failing = false
  })
  const { flushSync } = destination
  // As the process ends it would try for ever.
  destination.flushSync = () => {
    if (!failing) flushSync.call(destination)
  }
  destination.on('drop', () => {
    dropped += 1
    unsaid += 1
  })
  destination.on('drain', () => {
    if (unsaid === 0) return
    const lines = unsaid
    unsaid = 0
    log.warn({ lines }, 'the log could not be written for a while: lines are missing')
  })
  return { log, droppedLines: () => dropped }
}

/** Says the priority of each line before it, since journald cannot see the level in the JSON. */
function forJournal(destination: ReturnType<typeof logDestination>) {
  return {
    // Has pino say the level of each line, as `lastLevel`.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 30,
    write(line: string) {
      destination.write(`${priority(this.lastLevel)}${line}`)
    },
    flushSync: () => destination.flushSync(),
  }
}

/** Where log lines go: a file descriptor or a path. They are written together, since a call of the system for each takes a
 *  twentieth of what a request or a message takes. What has gathered is written as the process ends, however it ends but
 *  by SIGKILL. */
export function logDestination(dest: number | string) {
  return pino.destination({ dest, sync: false, minLength: 8 * 1024, maxLength: mostWaiting, periodicFlush: 100 })
}

/** An error as the log has it: never the rows and parameters that a database error carries. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
