/** What time it is. Decisions that several processes share (allowances, claims) take the database's time instead. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}
