import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/base/db/schema.ts'
import { Caller } from '#/http/access/caller.ts'
import { cancel } from '#/out/queue/lifecycle.ts'
import { statusOf } from './queries.ts'

/** How long to look for a message before its request fails, and how often, in milliseconds. */
const timeout = 10_000
const interval = 250

/** Call this first in a transaction that stores a message. `isStored` waits until that transaction ends. */
export async function lockCommit(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`scheduled ${id}`}, 0))`.execute(tx)
}

/**
 * Whether a message was stored although its transaction failed at commit: a connection that breaks then leaves the result
 * unknown. False promises that the message is never sent. If the database does not answer in time, the message is removed
 * as soon as it answers again, until `closing`.
 */
export async function isStored(
  { db, log, closing }: { db: Db; log: Pick<Logger, 'warn'>; closing: AbortSignal },
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<boolean> {
  const caller = Caller.unrestricted(organizationId)
  for (const end = performance.now() + timeout; performance.now() < end; await wait(interval)) {
    const stored = await afterCommit(db, (tx) => statusOf(tx, { caller, id }), id).catch(() => 'unknown' as const)
    if (stored !== 'unknown') return stored !== undefined
  }
  const removing = removeOnceReachable(db, { organizationId, id }, closing)
  void removing.then(
    (removed) =>
      log.warn(
        { scheduled: id, removed },
        'the database answers again; the message that was answered with 500 is removed',
      ),
    () =>
      log.warn({ scheduled: id }, 'the database did not answer whether a message is stored that was answered with 500'),
  )
  return false
}

/** Answers whether it was stored. Rejects if the database does not answer before `closing`. */
export async function removeOnceReachable(
  db: Db,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  closing: AbortSignal,
): Promise<boolean> {
  const caller = Caller.unrestricted(organizationId)
  for (;;) {
    const removed = await afterCommit(db, (tx) => cancel(tx, caller, id), id).catch(() => 'unknown' as const)
    if (removed !== 'unknown') return removed
    await wait(interval * 4, undefined, { ref: false, signal: closing })
  }
}

/** Runs the query once the transaction that stores the message has ended. */
function afterCommit<T>(db: Db, query: (tx: Tx) => Promise<T>, id: string): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await lockCommit(tx, id)
    return query(tx)
  })
}
