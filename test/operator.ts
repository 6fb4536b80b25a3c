import { SqlMailHost } from '#/adapters/mail-host/sql/index.ts'
import type { Operator } from '#/cli/command.ts'
import { readConfig } from '#/config.ts'
import type { Database } from '#/db/open.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { secret } from './world.ts'

/** What the operator's commands work on in a test. */
export function operatorOn(database: Database, now: () => number = Date.now): Operator {
  return {
    config: readConfig({}),
    database,
    clock: { now },
    time: async () => new Date(now()),
    secret: async () => secret,
    mailHost: async (db) => new SqlMailHost(db, idHashKey(secret)),
  }
}
