import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '#/app/config/config.ts'
import type { Db } from '#/base/db/schema.ts'
import { secretsAtHand } from '#/base/secrets/given.ts'
import { fingerprintOf } from '#/base/secrets/keyring.ts'
import { secretInForce } from '#/base/secrets/open.ts'
import { isUnfinished } from '#/base/secrets/rotate.ts'
import { codeOf } from './files.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const check = 'secret'

/** Checks the source of the secret, and its fingerprint against the one in the database. */
export async function secretFinding(config: Config, db: Db | undefined): Promise<Finding> {
  const source = await sourceFinding(config)
  if (!db || source.state === 'problem') return source
  return (await inForceFinding(config, db).catch(() => undefined)) ?? source
}

async function sourceFinding({ dataDir, secrets }: Config): Promise<Finding> {
  if (secrets.secret !== undefined) return ok(check, 'given by MAILROOM_SECRET')
  const path = resolve(dataDir, 'secret')
  const found = await stat(path).catch(codeOf)
  if (typeof found !== 'string' && (found.mode & 0o077) !== 0)
    return problem(check, `${path} can be read by other users of this machine`, `chmod 600 ${path}`)
  if (secrets.databaseUrl !== undefined)
    return warning(
      check,
      `MAILROOM_SECRET is not set; this process uses ${path}`,
      'Set it to the same value for every process on this database',
    )
  if (found === 'ENOENT') return ok(check, `${path} is created at the first start`)
  if (typeof found === 'string') return problem(check, `${path} cannot be read: ${found}`, 'Run as its owner')
  return ok(check, `kept in ${path}; back it up with the data`)
}

/** Undefined if the newest secret is in force, or none is yet. */
async function inForceFinding(config: Config, db: Db): Promise<Finding | undefined> {
  const inForce = await secretInForce(db)
  if (!inForce) return undefined
  const place = config.secrets.secret === undefined ? resolve(config.dataDir, 'secret') : 'MAILROOM_SECRET'
  const at = (await secretsAtHand(config)).findIndex((secret) => fingerprintOf(secret).equals(inForce))
  if (at < 0)
    return problem(
      check,
      `${place} does not have the secret that is in force for this database`,
      'Set MAILROOM_SECRET as for the other processes on this database, or restore the file `secret` in the data directory',
    )
  if (at > 0)
    return warning(
      check,
      `the new secret in ${place} is not in force yet`,
      'Run `mailroom secret rotate` once every process has it',
    )
  if (await isUnfinished(db))
    return warning(check, 'the change of the secret is not finished', 'Run `mailroom secret rotate` again')
  return undefined
}
