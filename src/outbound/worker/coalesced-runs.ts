/** Work of which one run is under way at a time. All who ask during a run get one more after it; so does a run that answers that there is
 *  more. Nobody waits for it, as they do with `SingleFlight`. */
export class CoalescedRuns {
  readonly #work: () => Promise<boolean>
  readonly #failed: (err: unknown) => void
  #running: Promise<void> | undefined
  #again = false
  #closed = false

  /** What fails is told to `failed`, and is not done again before somebody asks. */
  constructor(work: () => Promise<boolean>, failed: (err: unknown) => void) {
    this.#work = work
    this.#failed = failed
  }

  /** There may be something to do, also for a run that is under way and has looked already. */
  ask(): void {
    this.#again = true
    if (!this.#closed) this.#running ??= this.#run()
  }

  /** Undefined where nothing is done at the moment. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Nothing begins from now on; resolves once what is under way has ended. */
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
      // Synchronous with the last look at `again`: a caller from now on starts a new run.
      this.#running = undefined
    }
  }
}
