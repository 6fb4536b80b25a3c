/** A session ends when it is not used for so long, and at the latest so long after the sign-in. In milliseconds. */
export const idleMs = 7 * 86_400_000
export const longestMs = 30 * 86_400_000

/** When a session ends unless it is used again. */
export function endOf({ created_at, last_used_at }: { readonly created_at: Date; readonly last_used_at: Date }): Date {
  return new Date(Math.min(last_used_at.getTime() + idleMs, created_at.getTime() + longestMs))
}
