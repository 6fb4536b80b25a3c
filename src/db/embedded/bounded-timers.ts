/** The longest wait of a timer in Node, in milliseconds; one that is asked for more fires at once. */
const longest = 2 ** 31 - 1

/**
 * From now on no timer of this thread is asked to wait longer than it can. PostgreSQL sets an alarm for its next time-out,
 * by the wall clock; where that was set back by weeks, PGlite would ask for a timer that fires at once, find that nothing
 * has timed out, and ask again, a thousand times a second. An alarm that comes early sets the next one.
 */
export function boundTimers(): void {
  const { setTimeout } = globalThis
  const bounded = (callback: () => void, delay?: number, ...args: []) =>
    setTimeout(callback, Math.min(delay ?? 0, longest), ...args)
  globalThis.setTimeout = Object.assign(bounded, setTimeout) as typeof setTimeout
}
