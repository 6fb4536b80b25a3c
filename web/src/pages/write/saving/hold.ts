const held = new Map<string, () => void>()

/** Keeps other tabs from a message that this one has. Resolves once this one has it: another tab that had it before is closed, or
 *  has finished it. A page that was left gives up its messages only a moment after the next one has begun. */
export async function hold(key: string): Promise<void> {
  // A browser gives locks to secure pages alone; nobody is signed in on others.
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
