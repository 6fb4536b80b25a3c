/** An item that a client has sent. */
export interface Attempt {
  /** How often it was sent completely, so that it may be stored. */
  readonly attempts: number
  /** Whether it was acknowledged. */
  readonly acknowledged: boolean
}

/** Results in the manner of Jepsen's total-queue. `lost` and `unexpected` must be empty; whether
 *  `duplicated` may hold anything depends on what was promised. */
export interface Verdict {
  readonly attempted: number
  readonly acknowledged: number
  readonly stored: number
  /** Acknowledged and not stored. */
  readonly lost: readonly string[]
  /** Stored and never sent, or stored more often than sent. */
  readonly unexpected: readonly string[]
  /** Stored more than once. */
  readonly duplicated: readonly string[]
  /** Stored and not acknowledged. */
  readonly recovered: readonly string[]
}

/** Compares stored names, with repetitions, with attempts. */
export function check(attempts: ReadonlyMap<string, Attempt>, stored: Iterable<string>): Verdict {
  const times = new Map<string, number>()
  for (const name of stored) times.set(name, (times.get(name) ?? 0) + 1)
  const acknowledged = [...attempts].filter(([, attempt]) => attempt.acknowledged).map(([name]) => name)
  const there = [...times]
  return {
    attempted: attempts.size,
    acknowledged: acknowledged.length,
    stored: there.reduce((sum, [, count]) => sum + count, 0),
    lost: acknowledged.filter((name) => !times.has(name)),
    unexpected: there.filter(([name, count]) => count > (attempts.get(name)?.attempts ?? 0)).map(([name]) => name),
    duplicated: there.filter(([, count]) => count > 1).map(([name]) => name),
    recovered: there.filter(([name]) => attempts.get(name)?.acknowledged === false).map(([name]) => name),
  }
}
