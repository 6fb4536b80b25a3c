import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { errorText } from '#/cli/error-text.ts'
import { DirectoryInUse } from '#/db/directory-lock.ts'
import { type Database, type DatabaseConfig, openDatabase } from '#/db/open.ts'

/** How long a starting service waits for its database, in milliseconds. A directory may be in use by a command or a server that
 *  stops; a database server may be starting too, and recover first. */
const patience = { directory: 5_000, url: 60_000 } as const

/** The time between two attempts. */
const pause = { directory: 100, url: 500 } as const

/** Errors that pass: `cannot_connect_now` while a server starts, `too_many_connections`. */
const temporary = new Set(['57P03', '53300'])

/** Opens the database as soon as it is available. Logs that it waits for a server, and why.
 *  @throws Error the last one after the time limit, or at once one that does not pass */
export async function openWhenThere(
  config: DatabaseConfig,
  log: Logger,
  mostWaitMs: number = patience['url' in config ? 'url' : 'directory'],
): Promise<Database> {
  const end = performance.now() + mostWaitMs
  for (let said = false; ; ) {
    try {
      return await openDatabase(config)
    } catch (error) {
      if (!isTemporary(config, error) || performance.now() > end) throw error
      if ('url' in config && !said) {
        log.warn(
          { reason: errorText(error) },
          `the database does not answer; waiting for it, ${mostWaitMs / 1_000} s at most`,
        )
        said = true
      }
      await wait(pause['url' in config ? 'url' : 'directory'])
    }
  }
}

function isTemporary(config: DatabaseConfig, error: unknown): boolean {
  if (!('url' in config)) return error instanceof DirectoryInUse
  return !(error instanceof pg.DatabaseError) || temporary.has(error.code ?? '')
}
