import { useSyncExternalStore } from 'react'

/** Values outside of React: `changed` renders again the components that read one by `useValue`. */
export function externalStore() {
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    changed(): void {
      for (const listener of listeners) listener()
    },
    useValue: <T>(read: () => T): T => useSyncExternalStore(listen, read),
  }
}
