import { watch } from 'node:fs'

/** What is looked for, once it is there. It is looked for now, and each time that something changes in a directory. */
export async function onceThere<T>(directory: string, look: () => Promise<T | false | undefined>): Promise<T> {
  let changed = Promise.withResolvers<void>()
  const watcher = watch(directory, () => changed.resolve())
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await changed.promise
      changed = Promise.withResolvers()
    }
  } finally {
    watcher.close()
  }
}
