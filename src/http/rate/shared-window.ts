import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** One window of requests for all processes on one database. */
export interface SharedQuota {
  readonly quota: number
  readonly windowMs: number
}

export interface SharedAllowance {
  readonly allowed: boolean
  readonly remaining: number
  /** Milliseconds until the oldest request leaves the window. */
  readonly waitMs: number
}

/** Milliseconds for which this process may hold acquired requests. */
const holdMs = 5_000
/** Milliseconds after which uses are reported and unused requests are returned. */
const reportMs = 1_000
/** Milliseconds for which a refusal is cached: another process may return requests. */
const refusedMs = 250
/** How many of the whole quota a process may hold at a time; of a smaller one as large a part, since others need some too. */
const mostHeld = 64

/** The state of one caller in this process. Times are by `performance.now()`. */
interface Caller {
  readonly quota: number
  /** Requests that are held. */
  tokens: number
  until: number
  /** Times of requests that have not been reported. */
  uses: number[]
  /** How many to acquire at once; it doubles while they are used up quickly. */
  stride: number
  acquiredAt: number
  waiting: number
  acquiring: Promise<void> | undefined
  refusedUntil: number
  remaining: number
  freeAt: number
}

/**
 * A sliding window that several processes share through the database. Each process acquires a few requests of the quota
 * at a time and reports their times of use later, so that a request seldom costs a statement. Held requests count as
 * used, so all processes together never exceed the quota. A process that crashes loses what it had not reported.
 */
export class SharedWindow implements AsyncDisposable {
  readonly #db: Db
  readonly #quota: SharedQuota
  readonly #process = randomUUID()
  readonly #callers = new Map<string, Caller>()
  readonly #reporter: NodeJS.Timeout

  constructor(db: Db, quota: SharedQuota) {
    this.#db = db
    this.#quota = quota
    this.#reporter = setInterval(() => void this.report(performance.now() - reportMs).catch(() => {}), reportMs)
    this.#reporter.unref()
  }

  /** Counts a request of the caller (a UUID) if it is allowed. It may have a quota of its own, always the same. */
  async consume(id: string, quota = this.#quota.quota): Promise<SharedAllowance> {
    const caller = this.#caller(id, quota)
    for (;;) {
      const now = performance.now()
      if (caller.tokens > 0 && now < caller.until) {
        caller.tokens--
        caller.uses.push(now)
        caller.remaining = Math.max(0, caller.remaining - 1)
        return { allowed: true, remaining: caller.remaining, waitMs: caller.freeAt - now }
      }
      if (now < caller.refusedUntil) return { allowed: false, remaining: 0, waitMs: caller.freeAt - now }
      caller.waiting++
      caller.acquiring ??= this.#hold(id, caller).finally(() => {
        caller.acquiring = undefined
      })
      await caller.acquiring.finally(() => caller.waiting--)
    }
  }

  #caller(id: string, quota: number): Caller {
    const known = this.#callers.get(id)
    if (known) return known
    const caller: Caller = {
      quota,
      ...{ tokens: 0, until: 0, uses: [], stride: 2, acquiredAt: 0, waiting: 0, acquiring: undefined },
      ...{ refusedUntil: 0, remaining: 0, freeAt: 0 },
    }
    this.#callers.set(id, caller)
    return caller
  }

  async #hold(id: string, caller: Caller): Promise<void> {
    const now = performance.now()
    const most = Math.ceil((caller.quota * mostHeld) / this.#quota.quota)
    caller.stride = now - caller.acquiredAt < reportMs ? Math.min(2 * caller.stride, most) : 2
    caller.acquiredAt = now
    const wanted = Math.min(Math.max(caller.stride, caller.waiting), most)
    const [answer] = await this.#ask([{ id, caller, wanted }], now)
    if (!answer) throw new Error('hold_requests returned no row')
    caller.tokens = answer.granted
    caller.until = now + holdMs - reportMs
    caller.remaining = answer.remaining
    caller.freeAt = performance.now() + answer.wait_ms
    if (answer.granted === 0) caller.refusedUntil = performance.now() + Math.min(refusedMs, answer.wait_ms)
  }

  /** Reports uses and returns held requests of the callers that have acquired none since that time. */
  async report(quietSince = Number.POSITIVE_INFINITY): Promise<void> {
    const quiet = [...this.#callers].filter(([, caller]) => !caller.acquiring && caller.acquiredAt <= quietSince)
    if (quiet.length === 0) return
    for (const [id] of quiet) this.#callers.delete(id)
    await this.#ask(
      quiet.map(([id, caller]) => ({ id, caller, wanted: 0 })),
      performance.now(),
    )
  }

  async #ask(asked: readonly { id: string; caller: Caller; wanted: number }[], now: number) {
    const { windowMs } = this.#quota
    const reports = asked.map(({ id, caller, wanted }) => {
      // After a pause of weeks an age would overflow the integer column.
      const ages = caller.uses.map((used) => Math.min(Math.round(now - used), 2 * windowMs))
      caller.uses = []
      caller.tokens = 0
      return { key: id, quota: caller.quota, ages, wanted }
    })
    // Ordered by key: each is locked until the statement ends, so this prevents deadlocks.
    const { rows } = await sql<{ granted: number; remaining: number; wait_ms: number }>`
      select held.* from (
        select * from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as report
          (key uuid, quota integer, ages integer[], wanted integer)
        order by key offset 0
      ) report, lateral hold_requests(report.key, ${this.#process}::uuid, report.ages, report.wanted,
        report.quota, ${windowMs}::integer, ${holdMs}::integer) held`.execute(this.#db)
    return rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#reporter)
    // Held requests expire by themselves if this fails.
    await this.report().catch(() => {})
  }
}

/** Deletes expired rows of keys that are no longer used. */
export async function forgetRequests(db: Db): Promise<void> {
  await sql`delete from request_uses where used_at < now() - interval '1 hour'`.execute(db)
  await sql`delete from request_holds where until < now() - interval '1 hour'`.execute(db)
}
