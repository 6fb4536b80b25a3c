import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '#/config/config.ts'
import type { Db } from '#/db/schema.ts'
import { secretsAtHand } from '#/secrets/given.ts'
import { fingerprintOf } from '#/secrets/keyring.ts'
import { secretInForce } from '#/secrets/open.ts'
import { isUnfinished } from '#/secrets/rotate.ts'
import { codeOf } from './files.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const check = 'secret'

/** Where this process has its secret from, and whether that is the one whose fingerprint the database has. */
export async function secretFinding(config: Config, db: Db | undefined): Promise<Finding> {
  const kept = await keptFinding(config)
  if (!db || kept.state === 'problem') return kept
  return (await forceFinding(config, db).catch(() => undefined)) ?? kept
}

async function keptFinding({ dataDir, secrets }: Config): Promise<Finding> {
  if (secrets.secret !== undefined) return ok(check, 'given by MAILROOM_SECRET')
  const path = resolve(dataDir, 'secret')
  const found = await stat(path).catch(codeOf)
  if (typeof found !== 'string' && (found.mode & 0o077) !== 0)
    return problem(check, `${path} can be read by other users of this machine`, `chmod 600 ${path}`)
  if (secrets.databaseUrl !== undefined)
    return warning(
      check,
      `MAILROOM_SECRET is not set; this process uses ${path}`,
      'Set it to the same text for every process on this database',
    )
  if (found === 'ENOENT') return ok(check, `${path} is made at the first start`)
  if (typeof found === 'string') return problem(check, `${path} cannot be read: ${found}`, 'Run as its owner')
  return ok(check, `kept in ${path}; back it up with the data`)
}

/** Undefined where the newest secret is in force, or no secret is yet. */
async function forceFinding(config: Config, db: Db): Promise<Finding | undefined> {
  const inForce = await secretInForce(db)
  if (!inForce) return undefined
  const place = config.secrets.secret === undefined ? resolve(config.dataDir, 'secret') : 'MAILROOM_SECRET'
  const at = (await secretsAtHand(config)).findIndex((secret) => fingerprintOf(secret).equals(inForce))
  if (at < 0)
    return problem(
      check,
      `${place} does not have the secret that is in force in this database`,
      'Set MAILROOM_SECRET, or put back the file `secret` in the data directory, as every other process on this database has it',
    )
  if (at > 0)
    return warning(
      check,
      `the new one in ${place} is not in force yet`,
      'Run `mailroom secret rotate` once every process has it',
    )
  if (await isUnfinished(db))
    return warning(check, 'the change of the secret is not finished', 'Run `mailroom secret rotate` again')
  return undefined
}
