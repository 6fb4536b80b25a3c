import assert from 'node:assert/strict'
import type { Operator } from '#/cli/command.ts'
import { runCommand } from '#/cli/run.ts'
import { readConfig } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import { mailHostOn, tryMailServer } from '#/server/adapters.ts'
import { hostname, secret } from './installation.ts'

/** What the operator's commands work on in a test. */
export function operatorOn(database: Database, now: () => number = Date.now): Operator {
  const config = readConfig({ MAILROOM_HOSTNAME: hostname, MAILROOM_IMAP_URL: process.env.TEST_IMAP_URL })
  return {
    config,
    database,
    clock: { now },
    time: async () => new Date(now()),
    secret: async () => secret,
    mailHost: async (db) => mailHostOn(config, db, secret),
    tryMailServer,
  }
}

/** What a command prints with --json; it must succeed. */
export async function printed(operator: Operator, ...argv: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCommand([...argv, '--json'], operator)
  assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 })
  return JSON.parse(stdout)
}
