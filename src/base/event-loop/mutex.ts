/** Runs work one at a time, in order. Work that fails does not stop the work behind it. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0

  /** How many run or wait. */
  get pending(): number {
    return this.#pending
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#pending++
    const done = this.#last.then(work).finally(() => this.#pending--)
    this.#last = done.catch(() => {})
    return done
  }
}
