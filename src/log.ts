import { pino } from 'pino'

/** Where log lines go: a file descriptor or a path. They are written together, since a call of the system for each takes a
 *  twentieth of what a request or a message takes. What has gathered is written as the process ends, however it ends but
 *  by SIGKILL. */
export function logDestination(dest: number | string) {
  return pino.destination({ dest, sync: false, minLength: 8 * 1024, periodicFlush: 100 })
}
