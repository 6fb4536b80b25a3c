import fs from 'node:fs'
import { type PGlite, PGlite as PGliteEngine, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { sessionSettings } from '../connections/settings.ts'

/** Parts of the Emscripten module that its types omit. */
interface EmscriptenParts {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } }
  FS: { ErrnoError: new (errno: number) => Error }
}

/** EIO in musl. PostgreSQL panics on it, rightly: after a failed fsync nobody knows what is on disk. */
const eio = 29

/** A directory of the host with an fsync that reaches the disk. PGlite's own fsync does nothing. */
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

/** PGlite's parameters without `-F` (fsync off), and with fsync, since its fdatasync does nothing either. Small buffers: the
 *  system's cache has the rest. The default of 128 MiB would soon be occupied for good. */
const startParams = [
  ...PGliteEngine.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'shared_buffers=32MB', ...sessionSettings],
]

/** Opens the cluster in `directory`, or creates one. Only one process may: see directory-lock.ts. */
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
