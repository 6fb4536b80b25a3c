/** Work that is done once at a time, and again for as long as somebody asks for it or it answers that there is more. */
export class WhileAsked {
  readonly #work: () => Promise<boolean>
  readonly #failed: (err: unknown) => void
  #underWay: Promise<void> | undefined
  #again = false
  #closed = false

  /** What fails is told to `failed`, and is not done again before somebody asks. */
  constructor(work: () => Promise<boolean>, failed: (err: unknown) => void) {
    this.#work = work
    this.#failed = failed
  }

  /** There may be something to do, also for work that is under way and has looked already. */
  ask(): void {
    this.#again = true
    if (!this.#closed) this.#underWay ??= this.#run()
  }

  /** Undefined where nothing is done at the moment. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Nothing begins from now on; resolves once what is under way has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#underWay
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
      // In the same turn as the last look at `again`: whoever asks from now on starts it anew.
      this.#underWay = undefined
    }
  }
}
