import type { Clock } from '#/ports/clock.ts'

/** The machine's clock. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now()
  }
}
