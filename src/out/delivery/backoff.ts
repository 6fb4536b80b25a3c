const minute = 60_000

/** The pause between attempts, in milliseconds: short at first, since most failures are short, and six hours after the sixth
 *  attempt. Random jitter spreads messages that failed together. */
export function backoff(attempts: number, random: () => number = Math.random): number {
  const waits = [1, 5, 15, 30, 60, 120, 240]
  const minutes = waits[attempts - 1] ?? 360
  return Math.round(minutes * minute * (0.9 + random() / 5))
}

/** After this time the sender gets a notice of the delay. */
export const delayNoticeAfter = 4 * 60 * minute
