/** Clients that work concurrently until they are stopped. */
export abstract class ConcurrentClients implements Disposable {
  readonly #busy: Promise<void>[] = []
  readonly #ending = Promise.withResolvers<void>()
  #stopping = false
  #gone = false

  /** A further client. It checks `stopping` before new work, and `gone` before a retry. */
  protected begin(work: Promise<void>): void {
    this.#busy.push(work)
  }

  protected get stopping(): boolean {
    return this.#stopping
  }

  /** Resolves once they are to stop. */
  protected get ending(): Promise<void> {
    return this.#ending.promise
  }

  protected get gone(): boolean {
    return this.#gone
  }

  /** Stops new work; current work is retried until it is answered. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#ending.resolve()
    await Promise.all(this.#busy)
  }

  /** Abandons current work. */
  [Symbol.dispose](): void {
    this.#stopping = true
    this.#ending.resolve()
    this.#gone = true
  }
}
