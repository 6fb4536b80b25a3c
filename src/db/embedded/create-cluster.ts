import fs from 'node:fs'
import { join } from 'node:path'
import { openCluster } from './durable-file-system.ts'

/**
 * Makes the cluster in `directory` unless it is there. It is built beside its place, synced and renamed, so that
 * a crash or a power cut on the way leaves nothing that would be taken for a database.
 */
export async function createClusterOnce(directory: string): Promise<void> {
  if (fs.existsSync(directory)) return
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
