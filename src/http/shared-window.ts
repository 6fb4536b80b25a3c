import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'

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

/** How long requests that were taken from the quota may be kept for use here, in milliseconds. */
const holdMs = 5_000
/** After how long uses are reported and what was not used is given back. */
const reportMs = 1_000
/** How long a refusal is believed: another process may give something back. */
const refusedMs = 250
const mostHeld = 64

/** What this process knows of one caller. Times are by `performance.now()`. */
interface Caller {
  /** Requests that may be let in without asking. */
  tokens: number
  until: number
  /** When requests were let in that the database has not heard of. */
  uses: number[]
  /** How many to take at once: twice as many each time they went quickly. */
  stride: number
  takenAt: number
  waiting: number
  taking: Promise<void> | undefined
  refusedUntil: number
  remaining: number
  freeAt: number
}

/**
 * A sliding window that several processes share. Each holds a few requests of the quota at a time and reports later
 * when it used them, so that a request seldom costs a statement; what is held counts as used, so that together they
 * let in no more than the quota. Only a process that dies can take what it had not reported with it.
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

  /** Counts a request of the caller, a UUID, where it is allowed. */
  async take(id: string): Promise<SharedAllowance> {
    const caller = this.#caller(id)
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
      caller.taking ??= this.#hold(id, caller).finally(() => {
        caller.taking = undefined
      })
      await caller.taking.finally(() => caller.waiting--)
    }
  }

  #caller(id: string): Caller {
    const known = this.#callers.get(id)
    if (known) return known
    const [tokens, until, stride, takenAt, waiting, refusedUntil, remaining, freeAt] = [0, 0, 2, 0, 0, 0, 0, 0]
    const caller = {
      tokens,
      until,
      uses: [],
      stride,
      takenAt,
      waiting,
      taking: undefined,
      refusedUntil,
      remaining,
      freeAt,
    }
    this.#callers.set(id, caller)
    return caller
  }

  async #hold(id: string, caller: Caller): Promise<void> {
    const now = performance.now()
    caller.stride = now - caller.takenAt < reportMs ? Math.min(2 * caller.stride, mostHeld) : 2
    caller.takenAt = now
    const wanted = Math.min(Math.max(caller.stride, caller.waiting), mostHeld)
    const [answer] = await this.#ask([{ id, caller, wanted }], now)
    if (!answer) throw new Error('the database did not answer for a rate')
    caller.tokens = answer.granted
    caller.until = now + holdMs - reportMs
    caller.remaining = answer.remaining
    caller.freeAt = performance.now() + answer.wait_ms
    if (answer.granted === 0) caller.refusedUntil = performance.now() + Math.min(refusedMs, answer.wait_ms)
  }

  /** Reports what was used, and gives back what was not, for callers who have been quiet since that time. */
  async report(quietSince = Number.POSITIVE_INFINITY): Promise<void> {
    const quiet = [...this.#callers].filter(([, caller]) => !caller.taking && caller.takenAt <= quietSince)
    if (quiet.length === 0) return
    for (const [id] of quiet) this.#callers.delete(id)
    await this.#ask(
      quiet.map(([id, caller]) => ({ id, caller, wanted: 0 })),
      performance.now(),
    )
  }

  async #ask(asked: readonly { id: string; caller: Caller; wanted: number }[], now: number) {
    const { quota, windowMs } = this.#quota
    const reports = asked.map(({ id, caller, wanted }) => {
      // A process that was stopped for weeks would report ages that are no integers of the database.
      const ages = caller.uses.map((used) => Math.min(Math.round(now - used), 2 * windowMs))
      caller.uses = []
      caller.tokens = 0
      return { key: id, ages, wanted }
    })
    // In the order of the keys, since each is locked to the end of the statement.
    const { rows } = await sql<{ granted: number; remaining: number; wait_ms: number }>`
      select held.* from (
        select * from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as report
          (key uuid, ages integer[], wanted integer)
        order by key offset 0
      ) report, lateral hold_requests(report.key, ${this.#process}::uuid, report.ages, report.wanted,
        ${quota}::integer, ${windowMs}::integer, ${holdMs}::integer) held`.execute(this.#db)
    return rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#reporter)
    // What cannot be given back ends by itself.
    await this.report().catch(() => {})
  }
}

/** Drops what counts no more, of keys that are not used any more. */
export async function forgetRequests(db: Db): Promise<void> {
  await sql`delete from request_uses where used_at < now() - interval '1 hour'`.execute(db)
  await sql`delete from request_holds where until < now() - interval '1 hour'`.execute(db)
}
