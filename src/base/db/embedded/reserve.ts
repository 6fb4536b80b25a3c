import { randomBytes } from 'node:crypto'
import { statSync, truncateSync } from 'node:fs'
import { open, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

const mebibyte = 2 ** 20

/** The room on the disk that the embedded database keeps for itself: a file of this size beside its own, which it makes shorter when
 *  nothing else is free. What makes mail grow is refused from then on (migrations/, `refuse_without_room`); to delete mail, and to
 *  write the log of that, there is room. */
export const reserveBytes = 64 * mebibyte

/** What tables may not take of it. Without room for its log PostgreSQL ends, and does not start again. */
const logBytes = 40 * mebibyte

/** A file becomes shorter by at least this, since each time costs some microseconds. */
const stepBytes = mebibyte

/** Within a directory of PostgreSQL, where its statements see it too. */
export const reserveName = 'reserve'

/** Gives `wanted` octets of the reserve back to the file system, for a table or for what PostgreSQL cannot do without. Whether there were any. */
export function giveBack(directory: string, wanted: number, isTable: boolean): boolean {
  const path = join(directory, reserveName)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const rest = Math.max(0, size - Math.max(wanted, stepBytes))
  if (size === 0 || (isTable && rest < logBytes)) return false
  truncateSync(path, rest)
  return true
}

/** Whether nothing of the reserve is gone. Undefined if there is none. */
export async function isWhole(directory: string): Promise<boolean | undefined> {
  const found = await stat(join(directory, reserveName)).catch(() => undefined)
  return found && found.size >= reserveBytes
}

/** Makes the reserve whole if the disk has twice the room. Until it is, the file of before stays: mail is not refused because it is
 *  being written. */
export async function keepReserve(directory: string): Promise<void> {
  const path = join(directory, reserveName)
  if (await isWhole(directory)) return
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < 2 * reserveBytes) return
  const draft = `${path}.new`
  try {
    await using file = await open(draft, 'w', 0o600)
    // Octets that no file system makes smaller.
    const block = randomBytes(stepBytes)
    for (let at = 0; at < reserveBytes; at += block.length) await file.write(block)
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
