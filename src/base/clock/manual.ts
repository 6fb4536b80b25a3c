import type { RunningClock } from '#/base/clock/clock.ts'

/** A clock that changes only when it is set: for tests. What elapses is the machine's time, and that by which it is advanced. */
export class ManualClock implements RunningClock {
  #now: number
  #advanced = 0

  constructor(start: Date | string = '2026-01-01T12:00:00Z') {
    this.#now = new Date(start).getTime()
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return performance.now() + this.#advanced
  }

  /** Advances by so many milliseconds. */
  advance(milliseconds: number): void {
    this.#now += milliseconds
    this.#advanced += Math.max(0, milliseconds)
  }
}
