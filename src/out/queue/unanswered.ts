import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** Rows of one statement. */
const mostAtOnce = 1_000

/** Makes those recipients of a route due now whose last attempt no server answered: it answers again. Those that a server deferred
 *  wait as long as they would have. Answers how many there were. */
export async function retryUnanswered(db: Db, route: string, now: Date): Promise<number> {
  for (let all = 0; ; ) {
    const { numAffectedRows } = await sql`
      update outbound_recipients set due_at = ${now} where id in (
        select id from outbound_recipients
        where route = ${route} and state = 'waiting' and attempts > 0 and reply is null and due_at > ${now}
        order by id limit ${mostAtOnce} for update skip locked
      )`.execute(db)
    const some = Number(numAffectedRows ?? 0n)
    all += some
    if (some < mostAtOnce) return all
  }
}

/** For how long a route counts as working after a success, in milliseconds. Another process may have seen it fail meanwhile. */
const worksForMs = 60_000
const mostRoutes = 10_000

/** Which routes have just worked, as far as this process knows. */
export class WorkingRoutes {
  readonly #since = new Map<string, number>()

  /** Whether this success of a route is the first one since it failed, or for a while. */
  isNews(route: string, now: number): boolean {
    const since = this.#since.get(route)
    if (since !== undefined && Math.abs(now - since) < worksForMs) return false
    if (this.#since.size >= mostRoutes) this.#since.clear()
    this.#since.set(route, now)
    return true
  }

  failed(route: string): void {
    this.#since.delete(route)
  }
}
