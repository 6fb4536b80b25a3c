/** Work with one run at a time. Requests during a run cause one more run after it, and so does a run that resolves to true:
 *  there is more to do. Callers do not wait, unlike those of `SingleFlight`. */
export class CoalescedRuns {
  readonly #work: () => Promise<boolean>
  readonly #failed: (err: unknown) => void
  #running: Promise<void> | undefined
  #again = false
  #closed = false

  /** `failed` gets errors of the work. A failed run is repeated at the next request. */
  constructor(work: () => Promise<boolean>, failed: (err: unknown) => void) {
    this.#work = work
    this.#failed = failed
  }

  /** Requests a run. If one is under way, another follows it, since that one may have read its input before. */
  request(): void {
    this.#again = true
    if (!this.#closed) this.#running ??= this.#run()
  }

  /** Undefined if no run is under way. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Starts no further run; resolves once the current one has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#closed) {
        this.#again = false
        if (await this.#work()) this.#again = true
      }
    } catch (err) {
      this.#failed(err)
    } finally {
      // In the same turn as the last check of `again`: a later request starts a new run.
      this.#running = undefined
    }
  }
}
