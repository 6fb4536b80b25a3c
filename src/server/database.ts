import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { errorText } from '#/cli/error-text.ts'
import { DirectoryInUse } from '#/db/directory-lock.ts'
import { type Database, type DatabaseConfig, openDatabase } from '#/db/open.ts'

/** How long a service that starts waits for its database, in milliseconds. A directory is in use for a moment, by a
 *  command of the operator or a server that stops; a server may start beside us, and recover first. */
const patience = { directory: 5_000, url: 60_000 } as const

/** How long to wait between two tries. */
const pause = { directory: 100, url: 500 } as const

/** What a server says that will let us in later: `cannot_connect_now` as it starts, `too_many_connections`. */
const later = new Set(['57P03', '53300'])

/** Opens the database once it is there. Says in the log that it waits for a server, and why.
 *  @throws Error what kept it from that for too long, or at once what waiting would not change */
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
      if (!mayPass(config, error) || performance.now() > end) throw error
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

function mayPass(config: DatabaseConfig, error: unknown): boolean {
  if (!('url' in config)) return error instanceof DirectoryInUse
  return !(error instanceof pg.DatabaseError) || later.has(error.code ?? '')
}
