/** The longest wait of a timer in Node, in milliseconds. A longer one fires at once. */
const longest = 2 ** 31 - 1

/** Bounds the timers of this thread. PostgreSQL sets an alarm for its next time-out, by the wall clock. If that was set back
 *  by weeks, PGlite would request a timer that fires at once, find that nothing has timed out, and repeat this a thousand
 *  times a second. An early alarm just sets the next one. */
export function boundTimers(): void {
  const { setTimeout } = globalThis
  const bounded = (callback: () => void, delay?: number, ...args: []) =>
    setTimeout(callback, Math.min(delay ?? 0, longest), ...args)
  globalThis.setTimeout = Object.assign(bounded, setTimeout) as typeof setTimeout
}
