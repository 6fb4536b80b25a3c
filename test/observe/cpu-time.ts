import { readFile } from 'node:fs/promises'

/** CPU time that a process has taken, all its threads, in milliseconds (proc(5), /proc/pid/stat: fields 14 and 15). */
export async function cpuTime(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  const ticksPerSecond = 100
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

/** Whether work takes less CPU time of this thread than that, in milliseconds, at the best of a dozen times: so what counts is
 *  the code, not the machine. */
export async function takesLess(milliseconds: number, work: () => unknown): Promise<boolean> {
  for (let tries = 12; tries > 0; tries--) {
    const before = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system < milliseconds * 1_000) return true
  }
  return false
}
