import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** V8 options: optimizing PostgreSQL's WebAssembly is not worth these seconds, and the heap stays small. */
const flags = ['--liftoff-only', '--max-semi-space-size=1', '--max-old-space-size=128']
const program = join(import.meta.dirname, 'make-cluster.ts')

/** Files of every cluster. In a directory without PG_VERSION PGlite would create a new, empty one. */
const parts = [
  ...['PG_VERSION', 'base', 'global/pg_control', 'pg_multixact', 'pg_wal', 'pg_xact'],
  ...['pg_hba.conf', 'pg_ident.conf', 'postgresql.conf'],
]

/** The directory has a part of a cluster, for example from an interrupted copy. */
class ClusterNotWhole extends Error {
  constructor(missing: readonly string[]) {
    super(
      `parts of it are missing (${missing.join(', ')}). Nothing was changed. ` +
        'Copy it again from where it is whole, while no Mailroom runs there, or restore a backup',
    )
    this.name = 'ClusterNotWhole'
  }
}

/**
 * Creates the cluster in `directory` unless it exists. It is built beside its place, synced and renamed, so that a crash or a
 * power failure leaves no partial database.
 * @throws ClusterNotWhole if the directory has a part of one
 */
export async function createClusterOnce(directory: string): Promise<void> {
  if (fs.existsSync(directory)) {
    const missing = parts.filter((part) => !fs.existsSync(join(directory, part)))
    if (missing.length > 0) throw new ClusterNotWhole(missing)
    return
  }
  const building = `${directory}.new`
  fs.rmSync(building, { recursive: true, force: true })
  await promisify(execFile)(process.execPath, [...flags, program, building], { env: {} })
  syncTree(building)
  fs.renameSync(building, directory)
  syncPath(join(directory, '..'))
}

function syncTree(directory: string): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else syncPath(path)
  }
  syncPath(directory)
}

function syncPath(path: string): void {
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
