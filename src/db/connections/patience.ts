import { AsyncLocalStorage } from 'node:async_hooks'

/** How long what is done once patience has run out still takes, in milliseconds: the rest of a wait, a rollback. */
const least = 500
/** For how long nothing is committed then: longer than any statement takes, so that nothing of the work goes on. */
const spentFor = 30_000

/** How long one piece of work, such as a request, waits for an answer of the database: for a connection and a statement together. */
export class Patience {
  #waited = 0
  #spentUntil = 0
  #isOver = false

  /** Milliseconds that are left of so many. */
  left(most: number): number {
    return this.isSpent ? least : Math.max(least, most - this.#waited)
  }

  /** Whether it has run out: what was begun ends, and nothing is committed. */
  get isSpent(): boolean {
    return performance.now() < this.#spentUntil
  }

  spend(): void {
    this.#spentUntil = performance.now() + spentFor
  }

  /** Waited so long for a connection. */
  connected(ms: number): void {
    this.#waited += ms
  }

  answered(): void {
    this.#waited = 0
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** What follows, such as a download or a loop that began meanwhile, may wait for as long as others do. */
  end(): void {
    this.#isOver = true
  }
}

const current = new AsyncLocalStorage<Patience>()

/** That of the work that runs, unless it has been answered. */
export function patienceNow(): Patience | undefined {
  const patience = current.getStore()
  return patience?.isOver ? undefined : patience
}

/** Whether the work that runs has given up: also what goes on beside its answer. */
export function hasGivenUp(): boolean {
  return current.getStore()?.isSpent ?? false
}

export function withPatience<T>(patience: Patience, work: () => T): T {
  return current.run(patience, work)
}

/** For work that is to be done though its request has given up. */
export function withoutPatience<T>(work: () => T): T {
  return current.exit(work)
}
