import type { Clock } from '#/ports/clock.ts'

/** A clock that changes only when it is set: for tests. */
export class ManualClock implements Clock {
  #now: number

  constructor(start: Date | string = '2026-01-01T12:00:00Z') {
    this.#now = new Date(start).getTime()
  }

  now(): number {
    return this.#now
  }

  /** Advances by so many milliseconds. */
  advance(milliseconds: number): void {
    this.#now += milliseconds
  }
}
