const held = new Map<string, () => void>()

/** Keeps other tabs from a message that this one has. Answers whether it has it. */
export async function hold(key: string): Promise<boolean> {
  // A browser gives locks to secure pages alone; nobody is signed in on others.
  if (held.has(key) || !('locks' in navigator)) return true
  const answer = Promise.withResolvers<boolean>()
  void navigator.locks.request(`writing ${key}`, { ifAvailable: true }, (lock) => {
    answer.resolve(lock !== null)
    if (lock === null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    held.set(key, resolve)
    return promise
  })
  return answer.promise
}

export function release(key: string): void {
  held.get(key)?.()
  held.delete(key)
}
