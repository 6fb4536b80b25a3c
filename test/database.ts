import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate, readMigrations } from '#/db/migrate.ts'
import { type Database, openDatabase } from '#/db/open.ts'
import manifest from '../package.json' with { type: 'json' }

const server = process.env.TEST_DATABASE_URL

/**
 * A fresh, migrated database for one test or one file of them, gone when it is disposed of: on the server that
 * TEST_DATABASE_URL names, else embedded, by the same code as in production. With a `directory` it is the embedded
 * one there, which stays: for tests of restarts and crashes.
 */
export async function testDatabase(at?: { directory: string }): Promise<Database> {
  if (at) {
    if (!existsSync(join(at.directory, 'database'))) await cp(await embeddedTemplate(), at.directory, copying)
    return openDatabase(at)
  }
  return server === undefined ? freshEmbedded() : freshOnServer(server)
}

const copying = { recursive: true, mode: 0, preserveTimestamps: false } as const

async function freshEmbedded(): Promise<Database> {
  const template = await embeddedTemplate()
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-test-'))
  await cp(template, directory, copying)
  const database = await openDatabase({ directory })
  return goneOnDispose(database, () => rm(directory, { recursive: true, force: true }))
}

/**
 * A data directory that is copied for each test: 0.2 s, where making one takes 3 s. It is kept between runs, under a
 * name that follows PGlite and the migrations, and appears by a rename, so that parallel processes do not clash.
 */
async function embeddedTemplate(): Promise<string> {
  const pglite = manifest.dependencies['@electric-sql/pglite']
  const template = join(tmpdir(), `mailroom-template-${pglite}-${await migrationsChecksum()}`)
  if (existsSync(template)) return template
  const building = await mkdtemp(`${template}-`)
  {
    await using database = await openDatabase({ directory: building })
    await migrate(database.pool)
  }
  // Another process may have been quicker; its template is as good.
  await rename(building, template).catch(() => rm(building, { recursive: true }))
  return template
}

async function freshOnServer(url: string): Promise<Database> {
  const template = await serverTemplate(url)
  const name = `mailroom_test_${randomUUID().replaceAll('-', '')}`
  await administer(url, (client) => client.query(`create database ${name} template ${template}`))
  const database = await openDatabase({ url: withDatabase(url, name) })
  return goneOnDispose(database, () => administer(url, (client) => client.query(`drop database ${name} with (force)`)))
}

/** Migrated by whoever comes first, under a lock; it gets its name when it is complete. */
async function serverTemplate(url: string): Promise<string> {
  const template = `mailroom_template_${await migrationsChecksum()}`
  await administer(url, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount) return
    const building = `${template}_building`
    await client.query(`drop database if exists ${building} with (force)`)
    await client.query(`create database ${building}`)
    {
      await using database = await openDatabase({ url: withDatabase(url, building) })
      await migrate(database.pool)
    }
    await client.query(`alter database ${building} rename to ${template}`)
  })
  return template
}

async function administer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

async function migrationsChecksum(): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`)
  return hash.digest('hex').slice(0, 16)
}

function goneOnDispose(database: Database, remove: () => Promise<void>): Database {
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await remove()
    },
  }
}
