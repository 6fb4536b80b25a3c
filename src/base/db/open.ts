import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { columnTypes } from './connections/column-types.ts'
import { Lanes } from './connections/lanes.ts'
import { Listener } from './connections/listener.ts'
import { answers, Network } from './connections/network.ts'
import { preparing } from './connections/prepared.ts'
import { sessionSettings } from './connections/settings.ts'
import { SharedListeners } from './connections/shared-listeners.ts'
import { answersWithin, Silence } from './connections/silence.ts'
import { usualLimit } from './connections/time-left.ts'
import { lockDirectory } from './directory-lock.ts'
import { type Engine, startEngine } from './embedded/engine.ts'
import { Upkeep } from './embedded/upkeep.ts'
import type { Schema } from './schema.ts'
import { useLanes } from './short.ts'

export type DatabaseConfig =
  /** A PostgreSQL server, 15 or later. */
  | { url: string; maxConnections?: number | undefined; timeoutMs?: number }
  /** The embedded database, in a directory that no other process may use meanwhile. With `keepsReserve` it keeps room on the disk for
   *  itself (embedded/reserve.ts). */
  | { directory: string; keepsReserve?: boolean }

export interface Database extends AsyncDisposable {
  db: Kysely<Schema>
  /** The same for commands and housekeeping, whose statements may take as long as a table is large, while nobody waits for an answer. */
  patient: Kysely<Schema>
  pool: pg.Pool
  /** Whether it is embedded. Then there is one connection: what awaits `db` inside a transaction waits for itself. */
  embedded: boolean
  /** `announced` follows each commit of this process whose statements announced it (prepared.ts). */
  commits: EventEmitter<{ announced: [] }>
  /** Listens to a channel of a server. */
  listen?: (channel: string, notified: (text?: string) => void) => AsyncDisposable
  /** Lets the files of an embedded database be copied while it runs (embedded/upkeep.ts). */
  copying?: Upkeep['copying']
  /** Rejects when the embedded engine has died and cannot be restarted. Then only a restart of the process can help. */
  failed: Promise<never>
  /** For a stop: cuts connections to a server that no longer answers, if it is one. */
  leaveIfSilent(): Promise<void>
}

/** So many times as long a server lets a statement of `patient` take, or a pause in a transaction. Then it releases the locks. */
const patience = 2.5

/** The most connections for transactions and for statements that may take long. */
export const usualConnections = 10

/** Opens the database without migrating it. Dispose it to close it. */
export function openDatabase(config: DatabaseConfig): Promise<Database> {
  return 'url' in config ? openServer(config) : openEmbedded(resolve(config.directory), config.keepsReserve)
}

async function openServer({
  url,
  maxConnections: max = usualConnections,
  timeoutMs = usualLimit,
}: Extract<DatabaseConfig, { url: string }>): Promise<Database> {
  const network = new Network()
  const connection = {
    types: columnTypes,
    stream: () => network.connect(),
    connectionString: url,
    keepAlive: true,
    // Keepalive finds a connection whose server is lost while nobody waits on it, not by the next query.
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'mailroom',
    options: sessionSettings.join(' '),
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs * patience,
    connectionTimeoutMillis: timeoutMs,
  }
  const pool = newPool({ ...connection, max })
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw error
  }
  const silence = new Silence({
    answers: () => answers({ ...connection, stream: () => new Socket(), connectionTimeoutMillis: answersWithin }),
    cut: () => network.cut(),
    heal: () => network.heal(),
  })
  const commits = new EventEmitter<{ announced: [] }>()
  const limited = preparing(pool, { server: { silence, limit: timeoutMs }, announced: announcedOn(commits) })
  const [db, patient] = [kysely(limited()), kysely(limited(timeoutMs * patience))]
  const lanes = new Lanes(connection, silence)
  useLanes(db, lanes)
  const end = async () => {
    silence[Symbol.dispose]()
    await lanes[Symbol.asyncDispose]()
    await close(db, pool)
  }
  const listeners = new SharedListeners((channel, notified) => new Listener(connection, channel, notified))
  return {
    ...{ db, patient, pool, commits },
    leaveIfSilent: () => silence.ask(),
    embedded: false,
    listen: (channel, notified) => listeners.listen(channel, notified),
    failed: new Promise(() => {}),
    [Symbol.asyncDispose]: end,
  }
}

async function openEmbedded(directory: string, keepsReserve?: boolean): Promise<Database> {
  await using opening = new AsyncDisposableStack()
  opening.use(lockDirectory(directory))
  const engine = opening.use(await startEngine(join(directory, 'database')))
  const database = opening.use(databaseOn(engine, { keepsReserve }))
  const open = opening.move()
  return { ...database, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The database of an embedded engine. Once it is disposed, the engine may serve another one. */
export function databaseOn(engine: Engine, { keepsReserve = false } = {}): Database {
  const pool = newPool({
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    // So `db` awaited inside a transaction fails, too.
    connectionTimeoutMillis: usualLimit,
    stream: () => engine.connect(),
  })
  const commits = new EventEmitter<{ announced: [] }>()
  const db = kysely(preparing(pool, { announced: announcedOn(commits) })())
  const upkeep = new Upkeep(pool, { engine, keepsReserve })
  upkeep.start()
  return {
    ...{ db, patient: db, pool, commits, embedded: true, failed: engine.failed },
    copying: (copy) => upkeep.copying(copy),
    leaveIfSilent: async () => {},
    async [Symbol.asyncDispose]() {
      await upkeep.stop()
      await close(db, pool)
    },
  }
}

function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ types: columnTypes, ...config })
  // The pool replaces an idle connection that broke. Without a listener the process would end.
  pool.on('error', () => {})
  // The same for a connection in use: its user gets the error from the next query.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('release', (_error, client) => {
    // The next user must not get an open transaction: closing rolls it back.
    const status = client.getTransactionStatus()
    if (status === 'T' || status === 'E') client.end().catch(() => {})
  })
  return pool
}

function announcedOn(commits: Database['commits']): () => void {
  return () => void commits.emit('announced')
}

function kysely(pool: PostgresPool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** Waits for connections in use. Kysely ends the pool only if it has run a query of its own. */
async function close(db: Kysely<Schema>, pool: pg.Pool): Promise<void> {
  await db.destroy()
  if (!pool.ending) await pool.end()
}
