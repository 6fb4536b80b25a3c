/** Runs work one at a time, in the order in which it is given, however the work before it ends. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()
  #given = 0

  /** How many run or wait. */
  get given(): number {
    return this.#given
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#given++
    const done = this.#last.then(work).finally(() => this.#given--)
    this.#last = done.catch(() => {})
    return done
  }
}
