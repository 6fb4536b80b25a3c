import { type Logger, pino } from 'pino'
import { priority } from './systemd.ts'

/** The log of a service. */
export interface ServerLog {
  readonly log: Logger
  /** The number of lines that were lost because they could not be written. */
  droppedLines(): number
}

/** The most octets of the log that wait to be written. */
const mostWaiting = 2 ** 20

/** If the log cannot be written, because its disk is full or fails, lines wait and are then dropped; the service continues.
 *  Later a line says how many are missing. */
export function serverLog(
  level: string,
  dest: number | string = 2,
  { journal = false }: { journal?: boolean } = {},
): ServerLog {
  const destination = logDestination(dest)
  const log = pino({ level, serializers: { err: describeError } }, journal ? forJournal(destination) : destination)
  let [dropped, unsaid, failing] = [0, 0, false]
  destination.on('error', () => {
    failing = true // The lines stay, and are written again.
  })
  destination.on('write', () => {
    failing = false
  })
  const { flushSync } = destination
  // When the process ends it would retry for ever.
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

/** Prepends each line's priority, since journald does not read the level in the JSON. */
function forJournal(destination: ReturnType<typeof logDestination>) {
  return {
    // Makes pino set `lastLevel` for each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 30,
    write(line: string) {
      destination.write(`${priority(this.lastLevel)}${line}`)
    },
    flushSync: () => destination.flushSync(),
  }
}

/** Writes log lines in batches to a file descriptor or a path: a system call for each line takes a twentieth of the time of a
 *  request or a message. When the process ends the rest is written, except after SIGKILL. */
export function logDestination(dest: number | string) {
  return pino.destination({ dest, sync: false, minLength: 8 * 1024, maxLength: mostWaiting, periodicFlush: 100 })
}

/** An error for the log, without the rows and parameters of a database error. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
