import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'

/** How long the claim of a dead process lasts, and how often a living one extends it, in milliseconds. */
const lease = 20_000
const renewal = 5_000
const pause = 250

/** The claim to move mail, which one process has at a time. */
export class MoveClaim implements AsyncDisposable {
  readonly #db: Db
  readonly #id = randomUUID()
  #timer: NodeJS.Timeout | undefined

  private constructor(db: Db) {
    this.#db = db
  }

  /** Waits if the process that had it is dead. @throws Refusal if another living process has it */
  static async acquire(db: Db): Promise<MoveClaim> {
    const deadline = performance.now() + lease + renewal
    const claim = new MoveClaim(db)
    while (!(await claim.#acquire())) {
      if (performance.now() < deadline) await wait(pause)
      else throw new Refusal('conflict', 'Another `mailroom mail move` is running')
    }
    claim.#timer = setInterval(() => void claim.#renew().catch(() => {}), renewal).unref()
    return claim
  }

  /** No other process moves mail until this transaction ends. @throws Error if another does, since this process was
   *  suspended for too long */
  async hold(tx: Tx): Promise<void> {
    const { rows } = await sql`select from installation where mail_mover = ${this.#id} for share`.execute(tx)
    if (rows.length === 0) throw new Error('Another process moves the mail now')
  }

  async #acquire(): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update installation set mail_mover = ${this.#id}, mail_mover_until = ${until()}
      where mail_mover is null or mail_mover_until < clock_timestamp()`.execute(this.#db)
    return numAffectedRows === 1n
  }

  async #renew(): Promise<void> {
    await sql`update installation set mail_mover_until = ${until()} where mail_mover = ${this.#id}`.execute(this.#db)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await sql`update installation set mail_mover = null where mail_mover = ${this.#id}`.execute(this.#db)
  }
}

function until() {
  return sql`clock_timestamp() + make_interval(secs => ${lease / 1_000})`
}
