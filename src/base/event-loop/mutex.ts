/** Runs work one at a time, in order. Work that fails does not stop the work behind it, unless that would fail for the same reason: what
 *  waits then fails with it, and does not wait once more. */
export class Mutex {
  readonly #isShared: (error: unknown) => boolean
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0

  /** Tells which errors are also those of the work that waits. */
  constructor(isShared: (error: unknown) => boolean = () => false) {
    this.#isShared = isShared
  }

  /** How many run or wait. */
  get pending(): number {
    return this.#pending
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#pending++
    const done = this.#last.then(work).finally(() => {
      // What comes later tries by itself.
      if (--this.#pending === 0) this.#last = Promise.resolve()
    })
    this.#last = done.catch((error: unknown) => {
      if (this.#isShared(error)) throw error
    })
    this.#last.catch(() => {})
    return done
  }
}
