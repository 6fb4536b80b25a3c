import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** The share of all processors that a further process of tests may count on. */
const enough = 0.25
/** So many samples in a row must find it, so many milliseconds apart: one process that waits for another is no sign. */
const looks = 4
const usualPauseMs = 500

/** Lets further test processes start while processors are idle: tests wait for timers, disks and processes part of their time. */
export class Spare {
  readonly #idle: () => number
  readonly #pauseMs: number
  #turn = Promise.resolve()

  /** `idle` answers the share of all processors that was idle since it was last asked. */
  constructor(idle: () => number = idleProcessors(), pauseMs = usualPauseMs) {
    this.#idle = idle
    this.#pauseMs = pauseMs
  }

  /** Resolves once enough is idle, or `wanted` says no more. A later caller waits again: by then, what the one before has begun
   *  is running. */
  take(wanted: () => boolean): Promise<void> {
    this.#turn = this.#turn.then(() => this.#untilEnough(wanted))
    return this.#turn
  }

  async #untilEnough(wanted: () => boolean): Promise<void> {
    this.#idle()
    for (let found = 0; found < looks && wanted(); ) {
      await wait(this.#pauseMs)
      found = this.#idle() < enough ? 0 : found + 1
    }
  }
}

export function idleProcessors(): () => number {
  let before = { idle: 0, all: 0 }
  return () => {
    const now = cpus().reduce(
      (sum, { times: { idle, user, nice, sys, irq } }) => ({
        idle: sum.idle + idle,
        all: sum.all + idle + user + nice + sys + irq,
      }),
      { idle: 0, all: 0 },
    )
    const share = (now.idle - before.idle) / Math.max(now.all - before.all, 1)
    before = now
    return share
  }
}
