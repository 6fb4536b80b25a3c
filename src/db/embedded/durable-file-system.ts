import fs from 'node:fs'
import { type PGlite, PGlite as PGliteEngine, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { sessionSettings } from '../settings.ts'

/** The parts of the Emscripten module that its types leave out. */
interface EmscriptenParts {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } }
  FS: { ErrnoError: new (errno: number) => Error }
}

/** EIO as musl numbers it. PostgreSQL panics on it, which is right: after a failed fsync nobody knows what is on disk. */
const eio = 29

/** A directory of the host whose fsync reaches the disk. As PGlite ships it, fsync does nothing. */
class DurableFileSystem extends NodeFS {
  override async init(engine: PGlite, options: Parameters<NodeFS['init']>[1]): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options)
    emscriptenOpts.preRun?.push((module) => {
      const { NODEFS, FS } = module as unknown as EmscriptenParts
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        try {
          fs.fsyncSync(nfd)
          return 0
        } catch {
          throw new FS.ErrnoError(eio)
        }
      }
    })
    return { emscriptenOpts }
  }
}

/** PGlite's own parameters but for `-F` (fsync off), and with fsync, since its fdatasync does nothing either. What is not in
 *  PostgreSQL's buffers is in the system's cache; of its default, 128 MiB, each would soon be taken for good. */
const startParams = [
  ...PGliteEngine.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'shared_buffers=32MB', ...sessionSettings],
]

/** Opens the cluster in `directory`, or makes one there. Only one process may: see directory-lock.ts. */
export function openCluster(directory: string, onStderr?: (line: string) => void): Promise<PGlite> {
  const options: PGliteOptions = { fs: new DurableFileSystem(directory), startParams }
  if (onStderr) {
    options.onStderr = (line) => {
      onStderr(line)
      return false
    }
  }
  return PGliteEngine.create(options)
}
