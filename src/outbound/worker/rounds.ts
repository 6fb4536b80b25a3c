import type { OutboundWorker } from './worker.ts'

/** When the round after `now` is: rounds are `everyMs` apart, and at the full hour whatever that is. What was tried a
 *  moment before a round is left for the one after. */
export function nextRoundAfter(now: Date, everyMs: number): Date {
  return new Date((Math.floor(now.getTime() / everyMs + 0.5) + 1) * everyMs)
}

/** The worker's rounds, in which messages go that are scheduled and due. */
export class Rounds implements Disposable {
  readonly #outbound: Pick<OutboundWorker, 'beginRound' | 'processAll'>
  #timer: NodeJS.Timeout | undefined

  constructor(outbound: Pick<OutboundWorker, 'beginRound' | 'processAll'>) {
    this.#outbound = outbound
  }

  /** From now on makes a round every so many milliseconds, counted from midnight (UTC). */
  start(everyMs: number): void {
    this.#timer = setTimeout(
      () => {
        this.#outbound.beginRound()
        this.start(everyMs)
      },
      everyMs - (Date.now() % everyMs),
    )
  }

  /** Makes a round, and resolves once what was due has been tried, and the copies of what went are in Sent. */
  async processAll(): Promise<void> {
    this.#outbound.beginRound()
    await this.#outbound.processAll()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
