import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { leaseMs, renew, type Spooled } from './spool-queries.ts'

/** How often a lease is renewed, in milliseconds; with so much of it left nobody else can have what is held. */
const often = leaseMs / 4

/** Messages that this process has claimed, held for as long as it works on them, however long the server takes. */
export class Hold implements Disposable {
  readonly #db: Db
  readonly #claimed: readonly Spooled[]
  readonly #timer: NodeJS.Timeout
  /** Until when the lease holds at least, by performance.now(). */
  #until: number

  /** `since` is when the claim was made, or earlier. */
  constructor(db: Db, claimed: readonly Spooled[], { since, log }: { since: number; log: Logger }) {
    this.#db = db
    this.#claimed = claimed
    this.#until = since + leaseMs
    this.#timer = setInterval(() => {
      this.#renew().catch((err: unknown) => log.error({ err }, 'what is being delivered could not be held'))
    }, often)
  }

  /** Those that are still ours. The database is asked where the lease may be over: a process that was stopped for a while
   *  knows nothing of it. */
  async stillOurs<T extends Spooled>(messages: readonly T[]): Promise<readonly T[]> {
    if (performance.now() < this.#until - often) return messages
    const ours = await this.#renew()
    return messages.filter(({ id }) => ours.has(id))
  }

  async #renew(): Promise<ReadonlySet<number>> {
    const since = performance.now()
    const ours = await renew(this.#db, this.#claimed)
    this.#until = since + leaseMs
    return ours
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
