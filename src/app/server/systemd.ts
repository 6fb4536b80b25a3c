import { execFile } from 'node:child_process'
import { fstatSync } from 'node:fs'
import { promisify } from 'node:util'

type Env = Readonly<Record<string, string | undefined>>

const run = promisify(execFile)

/** How long systemd may take to answer, in milliseconds. */
const timeoutMs = 5_000

/** Whether standard error goes to journald, by its device and inode (systemd.exec(5), $JOURNAL_STREAM). */
export function leadsToJournal({ JOURNAL_STREAM }: Env, fd = 2): boolean {
  if (!JOURNAL_STREAM) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return JOURNAL_STREAM === `${dev}:${ino}`
}

/** The prefix that gives journald a line's priority (sd-daemon(3)), for a level of pino. */
export function priority(level: number): string {
  if (level >= 60) return '<2>'
  if (level >= 50) return '<3>'
  if (level >= 40) return '<4>'
  return level >= 30 ? '<6>' : '<7>'
}

/** Sends systemd the state of the service, if the unit has Type=notify. Runs systemd-notify, since Node has no datagram
 *  sockets for paths; the unit has NotifyAccess=all for that. Never rejects: `failed` gets the error. */
export async function notify(
  { NOTIFY_SOCKET, PATH }: Env,
  state: 'READY=1' | 'STOPPING=1',
  failed: (why: string) => void,
): Promise<void> {
  if (!NOTIFY_SOCKET) return
  const options = { env: { NOTIFY_SOCKET, PATH }, timeout: timeoutMs }
  await run('systemd-notify', [state], options).catch((error: Error) => failed(error.message))
}
