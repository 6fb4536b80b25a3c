import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Of the names and contents of files, in this order. A file that is not there is like an empty one. One after the other: a thousand open
 *  files at once may be more than a process is allowed. */
export async function hashOf(directory: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    const bytes = await readFile(join(directory, file)).catch(ifThere)
    hash.update(`${file} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

function ifThere(error: NodeJS.ErrnoException): Buffer {
  if (error.code !== 'ENOENT') throw error
  return Buffer.alloc(0)
}
