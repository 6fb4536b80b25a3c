import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEngine } from '#/base/db/embedded/engine.ts'
import { migrate } from '#/base/db/migrate.ts'
import { type Database, databaseOn, openDatabase } from '#/base/db/open.ts'
import { secret } from '#test/world/installation.ts'
import { ofFile } from '#test/world/of-file.ts'
import { giveBack, lastKept, type Place } from './kept-databases.ts'
import { emptied, type Initial, initialOf } from './reset.ts'
import { copyTree, embeddedTemplate, emptyTemplate, migrationsChecksum } from './templates.ts'

const server = process.env.TEST_DATABASE_URL

/**
 * A fresh, migrated database for one test or one file of them, gone when it is disposed of: on the server that
 * TEST_DATABASE_URL names, else embedded, by the same code as in production. With a `directory` it is the embedded
 * one there, which stays: for tests of restarts and crashes.
 */
export async function testDatabase(at?: { directory: string; keepsReserve?: boolean }): Promise<Database> {
  if (!at) return (await again()) ?? fresh()
  if (!existsSync(join(at.directory, 'database'))) copyTree(await embeddedTemplate(), at.directory)
  return openDatabase(at)
}

/** The same for all tests of a file; it ends after them. */
export async function databaseOfFile(): Promise<Database> {
  return ofFile(await testDatabase())
}

/** The same without a single table in it. */
export async function emptyDatabase(): Promise<Database> {
  const place = server === undefined ? await embeddedPlace(await emptyTemplate()) : await placeOnServer('template0')
  return endingWith(await place.open(), () => place[Symbol.asyncDispose]())
}

async function fresh(): Promise<Database> {
  const place =
    server === undefined ? await embeddedPlace(await embeddedTemplate()) : await placeOnServer(await serverTemplate())
  const database = endingWith(await place.open(), () => giveBack(place))
  initial ??= await initialOf(database.pool)
  return database
}

/** Of all that are made in this process. */
let initial: Initial | undefined

/** One that an earlier test has used, if it can be reset. */
async function again(): Promise<Database | undefined> {
  const place = lastKept()
  if (!place || !initial) return undefined
  const database = await place.open()
  if (await emptied(database.pool, initial).catch(() => false)) return endingWith(database, () => giveBack(place))
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
  return undefined
}

/** A migrated database that stays while processes come and go, and the environment that leads a service to it. */
export interface DatabaseHome extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  open(): Promise<Database>
}

export async function databaseHome({ embedded = false } = {}): Promise<DatabaseHome> {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-test-'))
  const env = { MAILROOM_DATA_DIR: directory, MAILROOM_SECRET: secret }
  const removeDirectory = () => rm(directory, { recursive: true, force: true })
  if (server === undefined || embedded) {
    copyTree(await embeddedTemplate(), directory)
    return { env, open: () => openDatabase({ directory }), [Symbol.asyncDispose]: removeDirectory }
  }
  return homeOnServer(await serverTemplate(), env, removeDirectory)
}

/** The same without a single table, on a server. */
export async function emptyDatabaseHome(): Promise<DatabaseHome> {
  return homeOnServer('template0', { MAILROOM_SECRET: secret }, async () => {})
}

/** The database that `url` names, migrated, on a server of the test's own. */
export async function homeAt(url: string): Promise<DatabaseHome> {
  const open = () => openDatabase({ url })
  await using database = await open()
  await migrate(database.pool)
  return { env: { MAILROOM_SECRET: secret, DATABASE_URL: url }, open, [Symbol.asyncDispose]: async () => {} }
}

async function homeOnServer(
  template: string,
  env: Readonly<Record<string, string>>,
  removeDirectory: () => Promise<void>,
): Promise<DatabaseHome> {
  const place = await placeOnServer(template)
  return {
    env: { ...env, DATABASE_URL: place.url },
    open: place.open,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]()
      await removeDirectory()
    },
  }
}

/** An engine of this process on a copy of a directory. */
async function embeddedPlace(template: string): Promise<Place> {
  await using making = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-test-'))
  making.defer(() => rm(directory, { recursive: true, force: true }))
  copyTree(template, directory)
  const engine = making.use(await startEngine(join(directory, 'database')))
  const made = making.move()
  return { open: async () => databaseOn(engine), [Symbol.asyncDispose]: () => made.disposeAsync() }
}

/** A connection hears at once that its statement waits for a lock (while-held.ts). */
const waitsAreTold = ['log_lock_waits = on', "deadlock_timeout = '10ms'", 'client_min_messages = log']

async function placeOnServer(template: string): Promise<Place & { readonly url: string }> {
  const name = `mailroom_test_${randomUUID().replaceAll('-', '')}`
  const url = urlOf(name)
  await administer(async (client) => {
    await client.query(`create database ${name} template ${template}`)
    for (const one of waitsAreTold) await client.query(`alter database ${name} set ${one}`)
  })
  return {
    url,
    open: () => openDatabase({ url }),
    [Symbol.asyncDispose]: () => administer((client) => client.query(`drop database ${name} with (force)`)),
  }
}

/** Migrated by the first caller, under a lock; it gets its name when it is complete. */
async function serverTemplate(): Promise<string> {
  const template = `mailroom_template_${await migrationsChecksum()}`
  await administer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount) return
    const building = `${template}_building`
    await client.query(`drop database if exists ${building} with (force)`)
    await client.query(`create database ${building}`)
    {
      await using database = await openDatabase({ url: urlOf(building) })
      await migrate(database.pool)
    }
    await client.query(`alter database ${building} rename to ${template}`)
  })
  return template
}

async function administer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Of another database on the server. */
function urlOf(name: string): string {
  const url = new URL(server ?? '')
  url.pathname = `/${name}`
  return url.href
}

/** The same database; `then` comes once it is closed. */
function endingWith(database: Database, then: () => PromiseLike<void>): Database {
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await then()
    },
  }
}
