import { readFile } from 'node:fs/promises'

/** CPU time that a process has taken, all its threads, in milliseconds (proc(5), /proc/pid/stat: fields 14 and 15). */
export async function cpuTime(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  const ticksPerSecond = 100
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
