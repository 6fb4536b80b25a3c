import assert from 'node:assert/strict'
import type { Operator } from '#/app/cli/command.ts'
import { runCommand } from '#/app/cli/run.ts'
import { readConfig } from '#/app/config/config.ts'
import { tryRelay } from '#/app/server/open-outside.ts'
import type { Database } from '#/base/db/open.ts'
import { hostname, keyring } from './installation.ts'

/** The surroundings of the operator's commands in a test. */
export function operatorOn({ database }: { readonly database: Database }, now: () => number = Date.now): Operator {
  const config = readConfig({ MAILROOM_HOSTNAME: hostname })
  return { config, database, clock: { now }, time: async () => new Date(now()), keyring: async () => keyring, tryRelay }
}

/** The output of a command with --json, which must succeed. */
export async function printed(operator: Operator, ...argv: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCommand([...argv, '--json'], operator)
  assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 })
  return JSON.parse(stdout)
}
