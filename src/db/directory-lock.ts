import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another process works in the data directory. */
export class DirectoryInUse extends Error {
  constructor(directory: string, cause: unknown) {
    super(`The data directory ${directory} is in use by another process`, { cause })
    this.name = 'DirectoryInUse'
  }
}

/** Referred to from here, since a lock whose file is garbage-collected is let go, although nobody disposed of it. */
const held = new Set<DatabaseSync>()

/**
 * Takes the data directory for this process alone, and makes it where it is missing, readable by its owner only.
 * Two processes on one embedded database silently destroy its data. The lock is the kernel's, on a file in the
 * directory that SQLite opens (Node has no flock of its own): a process that is killed leaves none behind.
 * @throws DirectoryInUse
 */
export function lockDirectory(path: string): Disposable {
  const directory = resolve(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
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
