import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hasEmbeddedDatabase } from '#/cli/doctor/files.ts'
import type { Config } from '#/config/config.ts'
import { lockDirectory } from '#/db/directory-lock.ts'

/** What was found of a database that nobody has named, and what to do. */
export function missingDatabase({ dataDir }: Config): [found: string, fix: string] {
  return [
    `neither DATABASE_URL nor MAILROOM_DATA_DIR is set, and there is no database in ${resolve(dataDir)}`,
    'Set them as the service has them (docs/configuration.md), or start the service, which makes a database there',
  ]
}

/**
 * A command whose environment does not say where the database is may use the one of a try-out in the working directory. It
 * makes none there: whoever forgot the settings of the service would be shown an empty installation, and add to it.
 * @throws DirectoryInUse where the service may be making one at this moment
 */
export async function assertDatabaseExists(config: Config): Promise<void> {
  const { dataDir, namesDatabase } = config
  if (namesDatabase || (await hasEmbeddedDatabase(dataDir))) return
  if (existsSync(join(dataDir, 'lock'))) lockDirectory(dataDir)[Symbol.dispose]()
  if (await hasEmbeddedDatabase(dataDir)) return
  const [found, fix] = missingDatabase(config)
  throw new Error(`The configuration is missing: ${found}. ${fix}`)
}
