import type { Logger } from 'pino'
import type { Lease, Leases, Now } from './leases.ts'
import type { Db } from './schema.ts'

/** Extends the leases of a process for as long as it works. Once disposed, leases that were not released end by themselves. */
export class LeaseHolder implements Disposable {
  readonly #db: Db
  readonly #table: Leases
  readonly #leases: readonly Lease[]
  readonly #now: () => Now | Promise<Now>
  readonly #every: number
  readonly #timer: NodeJS.Timeout
  /** The earliest end of the leases that are not lost, by performance.now(). */
  #until: number

  /** `since` is the time before the claim, by performance.now(). */
  constructor(
    db: Db,
    table: Leases,
    leases: readonly Lease[],
    { since, now, log }: { since: number; now: () => Now | Promise<Now>; log: Logger },
  ) {
    this.#db = db
    this.#table = table
    this.#leases = leases
    this.#now = now
    this.#every = table.forMs / 4
    this.#until = since + table.forMs
    this.#timer = setInterval(() => {
      this.#extend().catch((err: unknown) => log.error({ err }, 'leases could not be extended'))
    }, this.#every)
  }

  /** Those whose leases are not lost. Asks the database if they may have ended: a suspended process does not notice. */
  async stillHeld<T extends Lease>(leases: readonly T[]): Promise<readonly T[]> {
    if (performance.now() < this.#until - this.#every) return leases
    const held = await this.#extend()
    return leases.filter(({ id }) => held.has(id))
  }

  async #extend(): Promise<ReadonlySet<Lease['id']>> {
    const since = performance.now()
    const held = await this.#table.extend(this.#db, this.#leases, await this.#now())
    this.#until = since + this.#table.forMs
    return held
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
