// A program that creates a PostgreSQL cluster in the directory of its argument. That takes some 220 MB, which the system gets
// back when this process ends; in the service's own process they would stay allocated.

import fs from 'node:fs'
import { join, posix } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { copySparsely } from './sparse-memory.ts'

copySparsely()
// In memory: PGlite makes a cluster there anyway, and would pack and unpack it to bring it to a directory.
const small = 'shared_buffers=4MB'
const engine = await PGlite.create({
  initDbStartParams: ['--set', small],
  startParams: [...PGlite.defaultStartParams, '-c', small],
})
const { FS } = engine.Module
await engine.close()
unload('/pglite/data', process.argv[2] ?? '')

/** Writes a directory of PGlite's file system to one of the host. */
function unload(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of FS.readdir(from)) {
    if (name === '.' || name === '..') continue
    const [source, target] = [posix.join(from, name), join(to, name)]
    if (FS.isDir(FS.stat(source).mode)) unload(source, target)
    else fs.writeFileSync(target, FS.readFile(source), { mode: 0o600 })
  }
}
