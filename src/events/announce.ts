import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#/db/open.ts'
import { query } from '#/db/query.ts'

/** Where processes on one server tell each other that there are new events, without a text, and what is in no log, in one. */
export const channel = 'mailroom_events'

/** The least time between two announcements, in milliseconds. */
const gatherMs = 20

/** Tells the other processes on a server of events that were committed in this one. Not in their transactions: PostgreSQL
 *  commits those that notify one after the other. What a killed process has not told, readers find within a second. */
export function announceEvents({
  db,
  commits,
  embedded,
}: Pick<Database, 'db' | 'commits' | 'embedded'>): AsyncDisposable {
  let waiting = false
  let telling: Promise<void> | undefined
  const tell = async () => {
    while (waiting) {
      waiting = false
      await query(db)`select pg_notify(${channel}, '')`.catch(() => {})
      await pause(gatherMs)
    }
    telling = undefined
  }
  const announced = () => {
    waiting = true
    telling ??= tell()
  }
  if (!embedded) commits.on('announced', announced)
  return {
    async [Symbol.asyncDispose]() {
      commits.off('announced', announced)
      await telling
    },
  }
}
