import type { RunningClock } from '#/base/clock/clock.ts'

/** The machine's clock. */
export class SystemClock implements RunningClock {
  now(): number {
    return Date.now()
  }

  elapsed(): number {
    return performance.now()
  }
}
