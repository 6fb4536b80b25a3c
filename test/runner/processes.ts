import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A process as the kernel shows it in /proc. */
export interface ProcessEntry {
  readonly pid: number
  readonly group: number
  readonly command: string
  /** Its command line and environment, as one text. */
  readonly started: string
}

/** All processes that run; none where there is no /proc. A zombie has ended: it waits for its parent alone. */
export function processes(): ProcessEntry[] {
  return entries('/proc').flatMap((name) => (/^\d+$/.test(name) ? entryOf(Number(name)) : []))
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function entryOf(pid: number): ProcessEntry[] {
  try {
    // The command stands in brackets and may hold any character: proc_pid_stat(5).
    const [state, , group] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    if (state === 'Z' || state === 'X') return []
    const [line, environment] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1'))
    return [
      {
        pid,
        group: Number(group),
        command: spaced(line ?? ''),
        started: `${spaced(line ?? '')} ${spaced(environment ?? '')}`,
      },
    ]
  } catch {
    return [] // It has ended meanwhile, or is somebody else's.
  }
}

function spaced(words: string): string {
  return words.replaceAll('\0', ' ').trim()
}

/** Kills a process group with all that is in it; one that has ended already is no error. */
export function killGroup(group: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(-group, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Waits for killed processes to end, which a busy machine gets to late; ten seconds at most. */
export async function ended(picked: (entry: ProcessEntry) => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && processes().some(picked); tries++) await wait(20)
}
