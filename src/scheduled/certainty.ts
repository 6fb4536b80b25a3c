import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import { cancel } from '#/queue/scheduled.ts'
import { statusOf } from './queries.ts'

/** How long to ask whether a message is stored before its sender is answered, and how long between, in milliseconds. */
const patience = 10_000
const between = 250

/** To be called first in a transaction that stores a message: whoever asks what came of it waits for its end. */
export async function lockOutcome(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`scheduled ${id}`}, 0))`.execute(tx)
}

/**
 * Whether a message is stored whose transaction failed at its commit: where the connection broke then, nobody has heard
 * whether it did. False promises that it is not sent. Where the database cannot say in time, the message is removed as
 * soon as it can be asked again, until `closing`.
 */
export async function isStored(
  { db, log, closing }: { db: Db; log: Logger; closing: AbortSignal },
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<boolean> {
  for (const end = performance.now() + patience; performance.now() < end; await wait(between)) {
    const stored = await asked(db, (tx) => statusOf(tx, { organizationId, id }), id).catch(() => 'unknown' as const)
    if (stored !== 'unknown') return stored !== undefined
  }
  const removing = removeOnceReachable(db, { organizationId, id }, closing)
  void removing.then(
    (removed) => log.warn({ scheduled: id, removed }, 'the database answers again about a message that was refused'),
    () => log.warn({ scheduled: id }, 'the database has not answered about a message that was refused'),
  )
  return false
}

/** Whether it was stored. Rejects where nobody could say until `closing`. */
export async function removeOnceReachable(
  db: Db,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  closing: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const removed = await asked(db, (tx) => cancel(tx, organizationId, id), id).catch(() => 'unknown' as const)
    if (removed !== 'unknown') return removed
    await wait(between * 4, undefined, { ref: false, signal: closing })
  }
}

/** Asks once that transaction has ended. */
function asked<T>(db: Db, question: (tx: Tx) => Promise<T>, id: string): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await lockOutcome(tx, id)
    return question(tx)
  })
}
