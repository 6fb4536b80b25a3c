import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another process uses the data directory. */
export class DirectoryInUse extends Error {
  constructor(directory: string, cause: unknown) {
    super(`The data directory ${directory} is in use by another process`, { cause })
    this.name = 'DirectoryInUse'
  }
}

/** Referenced here: the lock is released when its file object is garbage-collected, even if nobody disposed of it. */
const held = new Set<DatabaseSync>()

/** Locks the data directory for this process, and creates it if needed, readable by its owner only. Two processes on one
 *  embedded database silently destroy its data. The lock is the kernel's, on a file that SQLite opens (Node has no flock): a
 *  killed process leaves none. @throws DirectoryInUse, or Error with the reason */
export function lockDirectory(path: string): Disposable {
  const directory = resolve(path)
  makeDirectory(directory)
  const file = openLock(directory)
  try {
    file.exec('begin exclusive')
  } catch (cause) {
    file.close()
    if ((cause as { errcode?: unknown }).errcode === 5) throw new DirectoryInUse(directory, cause) // SQLITE_BUSY
    throw new Error(`The data directory ${directory} cannot be locked`, { cause })
  }
  held.add(file)
  return {
    [Symbol.dispose]() {
      if (held.delete(file)) file.close()
    },
  }
}

function openLock(directory: string): DatabaseSync {
  try {
    return new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
  } catch (cause) {
    throw new Error(
      `The data directory ${directory} cannot be written to: let the user that runs Mailroom write to it`,
      { cause },
    )
  }
}

function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Error(`The data directory ${directory} is a file: set MAILROOM_DATA_DIR to a directory`)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(
      `The data directory ${directory} cannot be created (${code}): create it, owned by the user that runs Mailroom`,
      {
        cause,
      },
    )
  }
}
