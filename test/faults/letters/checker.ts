/** What a client knows of something that it asked a service to keep. */
export interface Attempt {
  /** How often it was handed over whole, so that it may have been kept. */
  readonly attempts: number
  /** It was answered that it is kept. */
  readonly acknowledged: boolean
}

/** After Jepsen's total-queue: what became of what was handed over. `lost` and `unexpected` must be empty; whether
 *  `duplicated` may hold anything depends on what was promised. */
export interface Verdict {
  readonly attempted: number
  readonly acknowledged: number
  readonly stored: number
  /** Acknowledged, and not there. */
  readonly lost: readonly string[]
  /** There, and never handed over; or there more often than it was handed over. */
  readonly unexpected: readonly string[]
  /** There more than once. */
  readonly duplicated: readonly string[]
  /** There, though its client never heard so. */
  readonly recovered: readonly string[]
}

/** Holds what is stored, each name as often as it is there, against what was attempted. */
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
