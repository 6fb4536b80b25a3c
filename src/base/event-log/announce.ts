import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '#/base/db/open.ts'
import { short } from '#/base/db/short.ts'

/** The channel of notifications between processes on a server. One without a text says that there are new events; others
 *  carry what is not in the log. */
export const channel = 'mailroom_events'

/** The least time between two announcements, in milliseconds. */
const batchMs = 20

/** Notifies other processes on a server of events committed in this one. Not in their transactions: PostgreSQL serializes
 *  the commits of those that notify. If this process is killed first, readers find the events within a second. */
export function announceEvents({
  db,
  commits,
  embedded,
}: Pick<Database, 'db' | 'commits' | 'embedded'>): AsyncDisposable {
  let waiting = false
  let notifying: Promise<void> | undefined
  const notify = async () => {
    while (waiting) {
      waiting = false
      await sql`select pg_notify(${channel}, '')`.execute(short(db)).catch(() => {})
      await pause(batchMs)
    }
    notifying = undefined
  }
  const announced = () => {
    waiting = true
    notifying ??= notify()
  }
  if (!embedded) commits.on('announced', announced)
  return {
    async [Symbol.asyncDispose]() {
      commits.off('announced', announced)
      await notifying
    },
  }
}
