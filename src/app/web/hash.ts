import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Of the names and contents of files, in this order. A file that is not there is like an empty one. */
export async function hashOf(directory: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file)).catch(() => Buffer.alloc(0))))
  for (const [index, bytes] of contents.entries()) hash.update(`${files[index]} ${bytes.length}\n`).update(bytes)
  return hash.digest('hex')
}
