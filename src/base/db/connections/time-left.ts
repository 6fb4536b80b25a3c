/** How long who waits for a server waits for a connection and a statement together, in milliseconds, so that a request is answered within
 *  the 10 s that are documented. The server aborts the statement then, and nothing of it is done. */
export const usualLimit = 8_000

/** A connection is told of its limit in steps of so many milliseconds, so seldom of another one. */
const step = 500

/** What a wait for a connection leaves of a limit for each statement. */
export function timeLeft(limit: number, waited: number): number {
  return Math.max(step, limit - Math.floor(waited / step) * step)
}
