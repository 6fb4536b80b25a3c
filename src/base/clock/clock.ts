/** The current time. Decisions that processes share (allowances, claims) use the database's time instead. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** A clock that also tells how long something has lasted. */
export interface RunningClock extends Clock {
  /** Milliseconds since some moment, which nobody sets back. */
  elapsed(): number
}
