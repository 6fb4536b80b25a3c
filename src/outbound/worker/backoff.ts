const minute = 60_000

/** Between attempts, in milliseconds: soon at first, since most failures pass soon, and after the sixth every six
 *  hours. A little earlier or later, so that what failed together does not come back together. */
export function backoff(attempts: number, random: () => number = Math.random): number {
  const waits = [1, 5, 15, 30, 60, 120, 240]
  const minutes = waits[attempts - 1] ?? 360
  return Math.round(minutes * minute * (0.9 + random() / 5))
}

/** After this the sender is told that the message has not arrived yet. */
export const delayWorthTelling = 4 * 60 * minute
