import assert from 'node:assert/strict'
import { SqlMailHost } from '#/adapters/mail-host/sql/index.ts'
import type { Operator } from '#/cli/command.ts'
import { runCommand } from '#/cli/run.ts'
import { readConfig } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { hostname, secret } from './installation.ts'

/** What the operator's commands work on in a test. */
export function operatorOn(database: Database, now: () => number = Date.now): Operator {
  return {
    config: readConfig({ MAILROOM_HOSTNAME: hostname }),
    database,
    clock: { now },
    time: async () => new Date(now()),
    secret: async () => secret,
    mailHost: async (db) => new SqlMailHost(db, idHashKey(secret)),
  }
}

/** What a command prints with --json; it must succeed. */
export async function printed(operator: Operator, ...argv: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCommand([...argv, '--json'], operator)
  assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 })
  return JSON.parse(stdout)
}
