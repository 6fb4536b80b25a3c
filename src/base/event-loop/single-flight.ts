import { isUnavailable } from '#/base/db/unavailable.ts'

/** Runs work single-flight. Callers during a run share the next one, since this one may have begun before the changes that
 *  they need. */
export class SingleFlight<T> {
  readonly #work: () => Promise<T>
  #running: Promise<T> | undefined
  #waiting: Promise<T> | undefined

  constructor(work: () => Promise<T>) {
    this.#work = work
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  run(): Promise<T> {
    if (!this.#running) return this.#start()
    this.#waiting ??= this.#running
      .catch((error: unknown) => {
        // Who waits does not wait for the database a second time.
        if (isUnavailable(error)) throw error
      })
      .finally(() => {
        this.#waiting = undefined
      })
      // A later call may have started the next run already.
      .then(() => this.#running ?? this.#start())
    return this.#waiting
  }

  #start(): Promise<T> {
    this.#running = this.#work().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }
}
