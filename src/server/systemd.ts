import { execFile } from 'node:child_process'
import { fstatSync } from 'node:fs'
import { promisify } from 'node:util'

type Env = Readonly<Record<string, string | undefined>>

const run = promisify(execFile)

/** For how long systemd may leave us without an answer, in milliseconds. */
const patienceMs = 5_000

/** Whether standard error leads to journald, which says so by its device and inode (systemd.exec(5), $JOURNAL_STREAM). */
export function leadsToJournal({ JOURNAL_STREAM }: Env, fd = 2): boolean {
  if (!JOURNAL_STREAM) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return JOURNAL_STREAM === `${dev}:${ino}`
}

/** What stands before a line for journald, which takes it off: its priority (sd-daemon(3)) for a level of pino's. */
export function priority(level: number): string {
  if (level >= 60) return '<2>'
  if (level >= 50) return '<3>'
  if (level >= 40) return '<4>'
  return level >= 30 ? '<6>' : '<7>'
}

/** Tells systemd how far the service is, where it asked for that. By its own program, since Node has no sockets of that
 *  kind; the unit's NotifyAccess=all lets that speak for us. Never rejects: `failed` hears what went wrong. */
export async function notify(
  { NOTIFY_SOCKET, PATH }: Env,
  state: 'READY=1' | 'STOPPING=1',
  failed: (why: string) => void,
): Promise<void> {
  if (!NOTIFY_SOCKET) return
  const options = { env: { NOTIFY_SOCKET, PATH }, timeout: patienceMs }
  await run('systemd-notify', [state], options).catch((error: Error) => failed(error.message))
}
