/** Clients that are at work side by side, until they are told to stop. */
export abstract class Crew implements Disposable {
  readonly #busy: Promise<void>[] = []
  #stopping = false
  #gone = false

  /** One more. It looks at `stopping` before it begins anything new, and at `gone` before it tries anything again. */
  protected begin(work: Promise<void>): void {
    this.#busy.push(work)
  }

  protected get stopping(): boolean {
    return this.#stopping
  }

  protected get gone(): boolean {
    return this.#gone
  }

  /** Nothing new: what is under way is tried until it is answered. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#busy)
  }

  /** Whatever is under way is left as it is. */
  [Symbol.dispose](): void {
    this.#stopping = true
    this.#gone = true
  }
}
