/** A session ends when it is unused for the first time, and at the latest the second time after the sign-in. In
 *  milliseconds. */
export const idleMs = 7 * 86_400_000
export const longestMs = 30 * 86_400_000

/** When a session ends if it is not used again. */
export function endOf({ created_at, last_used_at }: { readonly created_at: Date; readonly last_used_at: Date }): Date {
  return new Date(Math.min(last_used_at.getTime() + idleMs, created_at.getTime() + longestMs))
}
