import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** A directory in memory, if there is enough: temporary databases sync at every commit, which is slow on disks. */
export async function roomyPlace(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= 2 ** 31 ? memory : tmpdir()
}
