import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hasEmbeddedDatabase } from '#/app/cli/doctor/files.ts'
import type { Config } from '#/app/config/config.ts'
import { lockDirectory } from '#/base/db/directory-lock.ts'

/** Says that the environment names no database, and what to do. */
export function missingDatabase({ dataDir }: Config): [found: string, fix: string] {
  return [
    `neither DATABASE_URL nor MAILROOM_DATA_DIR is set, and there is no database in ${resolve(dataDir)}`,
    'Set them as for the service (docs/configuration.md), or start the service, which creates a database there',
  ]
}

/**
 * If the environment names no database, a command may use that of a try-out in the working directory. It creates none: an
 * operator who forgot the settings of the service would see an empty installation, and add to it.
 * @throws DirectoryInUse if the service may be creating one at this moment
 */
export async function assertDatabaseExists(config: Config): Promise<void> {
  const { dataDir, namesDatabase } = config
  if (namesDatabase || (await hasEmbeddedDatabase(dataDir))) return
  if (existsSync(join(dataDir, 'lock'))) lockDirectory(dataDir)[Symbol.dispose]()
  if (await hasEmbeddedDatabase(dataDir)) return
  const [found, fix] = missingDatabase(config)
  throw new Error(`The configuration is missing: ${found}. ${fix}`)
}
