import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { errorText } from '#/app/cli/error-text.ts'
import { DirectoryInUse } from '#/base/db/directory-lock.ts'
import { type Database, type DatabaseConfig, openDatabase, usualConnections } from '#/base/db/open.ts'
import { isUnavailable } from '#/base/db/unavailable.ts'

/** How long a starting service waits for its database, in milliseconds. A directory may be in use by a command or a server that
 *  stops; a database server may be starting too, and recover first, or have no connection free. */
const patience = { directory: 5_000, url: 60_000 } as const

/** The time between two attempts. */
const pause = { directory: 100, url: 500 } as const

const tooManyConnections = '53300'
/** Errors that pass: `admin_shutdown`, `crash_shutdown`, `cannot_connect_now` while a server starts, `too_many_connections`. */
const temporary = new Set(['57P01', '57P02', '57P03', tooManyConnections])

/** Without a second connection a server's process makes nothing beside a transaction. */
const fewestConnections = 2

/** Opens the database as soon as it is available, and runs `start` with it, which closes it where it fails. A server may go away, or
 *  have no connection free, at any statement of a start: then all of it begins again, with fewer connections if there were not
 *  enough. Logs that it waits for a server, and why.
 *  @throws Error the last one after the time limit, or at once one that does not pass */
export async function startWhenThere<T>(
  config: DatabaseConfig,
  log: Logger,
  start: (database: Database) => Promise<T>,
  mostWaitMs: number = patience['url' in config ? 'url' : 'directory'],
): Promise<T> {
  const end = performance.now() + mostWaitMs
  let connections = usualConnections
  for (let said = ''; ; ) {
    let opened = false
    try {
      const database = await openDatabase('url' in config ? { maxConnections: connections, ...config } : config)
      opened = true
      const started = await start(database)
      if (connections < usualConnections)
        log.warn(`the database server had too few connections: this process uses ${connections} for its transactions`)
      return started
    } catch (error) {
      if (!isTemporary(config, error, opened) || performance.now() > end) throw error
      if (isShort(error)) connections = Math.max(fewestConnections, Math.floor(connections / 2))
      const reason = errorText(error)
      if ('url' in config && reason !== said) {
        const what = isShort(error) ? 'has no connection free' : 'does not answer'
        log.warn({ reason }, `the database ${what}; waiting for it, ${mostWaitMs / 1_000} s at most`)
        said = reason
      }
      await wait(pause['url' in config ? 'url' : 'directory'])
    }
  }
}

/** Before the database is open every error is its own; later errors of a start may be of something else. */
function isTemporary(config: DatabaseConfig, error: unknown, opened: boolean): boolean {
  if (!('url' in config)) return error instanceof DirectoryInUse
  if (error instanceof pg.DatabaseError) return temporary.has(error.code ?? '')
  if (!opened) return true
  return isUnavailable(error)
}

function isShort(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === tooManyConnections
}
