import type { Origin } from '#/smtp/protocol/envelope.ts'

/** Milliseconds for which a result is cached. */
const cachedMs = 60_000

/** The last result of each connected client: messages of one session mostly resemble each other. */
export class LastResults<Result> {
  readonly #known = new WeakMap<Origin, { of: string; until: number; result: Result }>()

  /** That of a client for a key, for which results are equal; without one, that for any key. */
  get(origin: Origin, of?: string): Result | undefined {
    const last = this.#known.get(origin)
    return last && (of === undefined || last.of === of) && performance.now() < last.until ? last.result : undefined
  }

  set(origin: Origin, of: string, result: Result): void {
    this.#known.set(origin, { of, until: performance.now() + cachedMs, result })
  }
}
