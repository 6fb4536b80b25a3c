import fs from 'node:fs'
import { relative } from 'node:path'
import { type PGlite, PGlite as PGliteEngine, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { sessionSettings } from '../connections/settings.ts'
import { giveBack, reserveBytes } from './reserve.ts'

/** Parts of the Emscripten module that its types omit. */
interface EmscriptenParts {
  NODEFS: {
    realPath(node: unknown): string
    stream_ops: { fsync?: (stream: Stream) => number; write: Write }
  }
  FS: { ErrnoError: new (errno: number) => Error }
}

interface Stream {
  readonly nfd: number
  readonly node: unknown
}

type Write = (stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number) => number

/** EIO in musl. PostgreSQL panics on it, rightly: after a failed fsync nobody knows what is on disk. */
const eio = 29
/** ENOSPC in musl. */
const enospc = 51

/** A directory of the host with an fsync that reaches the disk, which PGlite's own does not, and with a reserve (reserve.ts). */
class DurableFileSystem extends NodeFS {
  readonly #directory: string
  readonly #onReserveUsed: () => void

  constructor(directory: string, onReserveUsed: () => void) {
    super(directory)
    this.#directory = directory
    this.#onReserveUsed = onReserveUsed
  }

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
      const write = NODEFS.stream_ops.write
      NODEFS.stream_ops.write = (stream, buffer, offset, length, position) => {
        // The system writes what still fits, and fails only if nothing does.
        for (let done = 0; ; ) {
          try {
            done += write(stream, buffer, offset + done, length - done, position + done)
            if (done === length) return done
          } catch (error) {
            const isFull = (error as { errno?: unknown }).errno === enospc
            if (isFull && this.#hasGivenBack(NODEFS.realPath(stream.node), length - done)) continue
            if (done > 0) return done
            throw error
          }
        }
      }
    })
    return { emscriptenOpts }
  }

  #hasGivenBack(path: string, octets: number): boolean {
    const isTable = relative(this.#directory, path).startsWith('base/')
    if (!giveBack(this.#directory, octets, isTable)) return false
    this.#onReserveUsed()
    return true
  }
}

/** PGlite's parameters without `-F` (fsync off), and with fsync, since its fdatasync does nothing either. Small buffers: the
 *  system's cache has the rest. The default of 128 MiB would soon be occupied for good. */
const startParams = [
  ...PGliteEngine.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'shared_buffers=32MB', ...sessionSettings],
  // For `refuse_without_room` of the migrations.
  ...['-c', `mailroom.reserve_bytes=${reserveBytes}`],
]

/** Opens the cluster in `directory`, or creates one. Only one process may: see directory-lock.ts. */
export function openCluster(
  directory: string,
  onStderr?: (line: string) => void,
  onReserveUsed: () => void = () => {},
): Promise<PGlite> {
  const options: PGliteOptions = { fs: new DurableFileSystem(directory, onReserveUsed), startParams }
  if (onStderr) {
    options.onStderr = (line) => {
      onStderr(line)
      return false
    }
  }
  return PGliteEngine.create(options)
}
