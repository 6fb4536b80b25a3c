/** How long a delivery is retried, and how long a webhook may fail before it is paused, in milliseconds. */
export const triedForMs = 3 * 24 * 3_600_000

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour]
const longestRoundPause = 10 * minute

/** The pause before a delivery's next attempt, in milliseconds, by the number of attempts. */
export function pauseAfter(attempts: number): number {
  return pauses[Math.min(attempts, pauses.length) - 1] ?? 0
}

/** The pause after so many failed rounds. The next round tries one new event, to find out soon when the receiver is back. */
export function roundPauseAfter(rounds: number): number {
  return Math.min(pauseAfter(rounds), longestRoundPause)
}
