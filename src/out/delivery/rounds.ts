import type { OutboundWorker } from './worker.ts'

/** The time of the round after `now`. Rounds are `everyMs` apart, and there is one at each full hour. What was tried just
 *  before a round waits for the one after it. */
export function nextRoundAfter(now: Date, everyMs: number): Date {
  return new Date((Math.floor(now.getTime() / everyMs + 0.5) + 1) * everyMs)
}

/** The worker's rounds, which send scheduled messages that are due. */
export class Rounds implements Disposable {
  readonly #outbound: Pick<OutboundWorker, 'beginRound' | 'processAll'>
  #timer: NodeJS.Timeout | undefined

  constructor(outbound: Pick<OutboundWorker, 'beginRound' | 'processAll'>) {
    this.#outbound = outbound
  }

  /** From now on begins a round every so many milliseconds, counted from midnight (UTC). */
  start(everyMs: number): void {
    this.#timer = setTimeout(
      () => {
        this.#outbound.beginRound()
        this.start(everyMs)
      },
      everyMs - (Date.now() % everyMs),
    )
  }

  /** Runs a round. Resolves once what was due has been tried, and pending Sent copies are stored. */
  async processAll(): Promise<void> {
    this.#outbound.beginRound()
    await this.#outbound.processAll()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
