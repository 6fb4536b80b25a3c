import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { processesUsingOthers, processesWithout } from './holders.ts'
import { fingerprintOf, type Keyring } from './keyring.ts'
import { retire } from './open.ts'
import { Resealing } from './reseal.ts'

/** How often processes that have not heard of the change yet are looked for, in milliseconds. */
const lookAgainMs = 500
/** For how long others may take to learn of the new secret, where they can without a restart. */
const learningMs = 10_000

export interface Rotation {
  readonly db: Db
  readonly keyring: Keyring
  /** Hears how many values have been sealed anew. */
  readonly count: (done: number) => void
}

/** What was done. */
export interface Rotated {
  /** How many values were sealed anew. */
  readonly resealed: number
  /** Where values lie that no known secret opens, which were left as they are. */
  readonly unopened: readonly string[]
}

/**
 * Puts a secret in force and seals anew what was sealed under others, while everything goes on. It may end at any moment:
 * called again with the same secret it does what is left.
 * @returns undefined where the secret was in force and nothing was left to do
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
  // What another process sealed before it heard of the change is found by the pass after it has.
  for (let heard = false; ; ) {
    const left = await resealing.pass()
    if (left === 0 && heard) break
    heard = (await processesUsingOthers(db, next)) === 0
    if (left > 0 || !heard) await wait(lookAgainMs)
  }
  await db
    .updateTable('retired_secrets')
    .set({ replaced_at: sql<Date>`clock_timestamp()` })
    .where('replaced_at', 'is', null)
    .execute()
  return { resealed: resealing.done, unopened: resealing.unopened }
}

/** Whether something may be left that is sealed under a secret which is not in force any more. */
export async function isUnfinished(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('retired_secrets')
    .select('fingerprint')
    .where('replaced_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Who has the secret in a file reads it again every few seconds. */
async function untilKnown(db: Db, secret: string): Promise<void> {
  const end = performance.now() + learningMs
  while ((await processesWithout(db, secret)) > 0) {
    if (performance.now() > end) throw unknownToOthers()
    await wait(lookAgainMs)
  }
}

function unknownToOthers(): Refusal {
  return new Refusal('invalid_request', 'Processes run on this database that do not know the new secret', {
    fix:
      'Restart each with the new one as MAILROOM_SECRET and the old one as MAILROOM_SECRET_PREVIOUS. ' +
      'One that was killed counts for half a minute yet',
  })
}
