import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { processesUsingOthers, processesWithout } from './holders.ts'
import { fingerprintOf, type Keyring } from './keyring.ts'
import { retire } from './open.ts'
import { Resealing } from './reseal.ts'

/** How often to look for processes that do not know of the change yet, in milliseconds. */
const lookAgainMs = 500
/** How long processes that can read the new secret without a restart may take to do so, in milliseconds. */
const learningMs = 10_000

export interface Rotation {
  readonly db: Db
  readonly keyring: Keyring
  /** Called with the number of resealed values. */
  readonly count: (done: number) => void
}

export interface Rotated {
  /** The number of resealed values. */
  readonly resealed: number
  /** Table and key of values that no known secret opens, which are unchanged. */
  readonly unopened: readonly string[]
}

/**
 * Puts a secret in force and reseals all values under it, while the service runs. After an interruption, call it again with the
 * same secret to do the rest.
 * @returns undefined if the secret was in force and nothing was left to do
 */
export async function rotateTo(next: string, { db, keyring, count }: Rotation): Promise<Rotated | undefined> {
  const isNew = !keyring.inForce.fingerprint.equals(fingerprintOf(next))
  if (!isNew && !(await isUnfinished(db))) return undefined
  keyring.learn([next])
  if (isNew) {
    await untilKnown(db, next)
    await db.transaction().execute(async (tx) => {
      await sql`select from installation for update`.execute(tx)
      if ((await processesWithout(tx, next)) > 0) throw unknownToOthers()
      await retire(tx, keyring, next)
    })
    keyring.use(fingerprintOf(next))
  }
  const resealing = new Resealing(db, keyring, count)
  // Until it knows of the change, another process seals under the old secret. A later pass finds these values.
  for (let heard = false; ; ) {
    const left = await resealing.pass()
    if (left === 0 && heard) break
    heard = (await processesUsingOthers(db, next)) === 0
    if (left > 0 || !heard) await wait(lookAgainMs)
  }
  await sql`update retired_secrets set replaced_at = clock_timestamp() where replaced_at is null`.execute(db)
  return { resealed: resealing.done, unopened: resealing.unopened }
}

/** Whether values may be left under a secret that is no longer in force. */
export async function isUnfinished(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('retired_secrets')
    .select('fingerprint')
    .where('replaced_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Processes with the secret in a file read it again every few seconds. */
async function untilKnown(db: Db, secret: string): Promise<void> {
  const end = performance.now() + learningMs
  while ((await processesWithout(db, secret)) > 0) {
    if (performance.now() > end) throw unknownToOthers()
    await wait(lookAgainMs)
  }
}

function unknownToOthers(): Refusal {
  return new Refusal('invalid_request', 'Some processes on this database do not know the new secret', {
    fix:
      'Restart each with the new one as MAILROOM_SECRET and the old one as MAILROOM_SECRET_PREVIOUS. ' +
      'A killed process counts for half a minute',
  })
}
