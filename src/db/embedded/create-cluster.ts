import fs from 'node:fs'
import { join } from 'node:path'
import { openCluster } from './durable-file-system.ts'

/** What is in every cluster. Over one without PG_VERSION PGlite would make a new, empty one. */
const parts = [
  ...['PG_VERSION', 'base', 'global/pg_control', 'pg_multixact', 'pg_wal', 'pg_xact'],
  ...['pg_hba.conf', 'pg_ident.conf', 'postgresql.conf'],
]

/** The directory holds a part of a cluster, as a copy that broke off leaves. */
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
 * Makes the cluster in `directory` unless it is there. It is built beside its place, synced and renamed, so that
 * a crash or a power cut on the way leaves nothing that would be taken for a database.
 * @throws ClusterNotWhole where a part of one is there
 */
export async function createClusterOnce(directory: string): Promise<void> {
  if (fs.existsSync(directory)) {
    const missing = parts.filter((part) => !fs.existsSync(join(directory, part)))
    if (missing.length > 0) throw new ClusterNotWhole(missing)
    return
  }
  const building = `${directory}.new`
  fs.rmSync(building, { recursive: true, force: true })
  fs.mkdirSync(building, { mode: 0o700 })
  await (await openCluster(building)).close()
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
