import type { RunningClock } from '#/ports/clock.ts'

/** The machine's clock. */
export class SystemClock implements RunningClock {
  now(): number {
    return Date.now()
  }

  elapsed(): number {
    return performance.now()
  }
}
