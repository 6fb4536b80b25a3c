/** The current time. Decisions that processes share (allowances, claims) use the database's time instead. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}
