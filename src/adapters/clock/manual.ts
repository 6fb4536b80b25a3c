import type { Clock } from '#/ports/clock.ts'

/** Stands still until it is set: for tests. */
export class ManualClock implements Clock {
  #now: number

  constructor(start: Date | string = '2026-01-01T12:00:00Z') {
    this.#now = new Date(start).getTime()
  }

  now(): number {
    return this.#now
  }

  /** Moves on by so many milliseconds. */
  advance(milliseconds: number): void {
    this.#now += milliseconds
  }
}
