import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate, readMigrations } from '#/base/db/migrate.ts'
import { openDatabase } from '#/base/db/open.ts'
import manifest from '../../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../../..')
const templates = join(root, 'node_modules/.cache/databases')
const dayMs = 86_400_000

let empty: Promise<string> | undefined
let migrated: Promise<string> | undefined

/** The data directory of an embedded database without a single table. */
export function emptyTemplate(): Promise<string> {
  empty ??= template(clusterName(), async (directory) => {
    await using _made = await openDatabase({ directory })
  })
  return empty
}

/** The same, migrated. */
export function embeddedTemplate(): Promise<string> {
  migrated ??= makeMigrated()
  return migrated
}

async function makeMigrated(): Promise<string> {
  const from = await emptyTemplate()
  return template(`${clusterName()}-${await migrationsChecksum()}`, async (directory) => {
    copyTree(from, directory)
    await using database = await openDatabase({ directory })
    await migrate(database.pool)
  })
}

/** It follows PGlite and what makes a cluster with it. */
function clusterName(): string {
  const hash = createHash('sha256')
  const sources = globSync(['embedded/*.ts', 'connections/settings.ts'], { cwd: join(root, 'src/base/db') }).sort()
  for (const file of sources.filter((name) => !name.endsWith('.test.ts')))
    hash.update(`${file}\n`).update(readFileSync(join(root, 'src/base/db', file)))
  return `pglite-${manifest.dependencies['@electric-sql/pglite']}-${hash.digest('hex').slice(0, 16)}`
}

export async function migrationsChecksum(): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`)
  return hash.digest('hex').slice(0, 16)
}

/**
 * A data directory to copy for each test: opening the copy takes 0.4 s of CPU, making a new one 3 and migrating it one more. It
 * is kept between runs, and gone a day after its last use.
 */
async function template(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const made = join(templates, name)
  if (!existsSync(made)) {
    mkdirSync(templates, { recursive: true })
    await removeUnused()
    const making = await mkdtemp(join(templates, '.making-'))
    await make(making)
    // Another process may have been quicker; its directory is the same.
    await rename(making, made).catch(() => rm(making, { recursive: true }))
  }
  const now = new Date()
  utimesSync(made, now, now)
  return made
}

async function removeUnused(): Promise<void> {
  for (const entry of readdirSync(templates, { withFileTypes: true })) {
    const path = join(templates, entry.name)
    if (entry.isDirectory() && statSync(path).mtimeMs < Date.now() - dayMs) await rm(path, { recursive: true })
  }
}

/** node:fs's own cp takes five times as long for a thousand small files. */
export function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyTree(source, target)
    else copyFileSync(source, target)
  }
}
