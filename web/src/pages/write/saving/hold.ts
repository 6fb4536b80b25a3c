const held = new Map<string, () => void>()

/** Locks a message for this tab. Resolves once it has the lock: another tab that had it is closed, or has finished the
 *  message. A page that was left releases its locks only a moment after the next one has begun. */
export async function hold(key: string): Promise<void> {
  // Browsers give locks to secure pages only; others have no session.
  if (held.has(key) || !('locks' in navigator)) return
  const { promise, resolve } = Promise.withResolvers<void>()
  void navigator.locks.request(`writing ${key}`, () => {
    const over = Promise.withResolvers<void>()
    held.set(key, over.resolve)
    resolve()
    return over.promise
  })
  return promise
}

export function release(key: string): void {
  held.get(key)?.()
  held.delete(key)
}
