import { externalStore } from '../parts/state/external-store.ts'

/** How long the stream of events may be closed before the page says so: a restart of the service takes a moment. */
const patienceMs = 5_000

let isLost = false
let losing: ReturnType<typeof setTimeout> | undefined
const { changed, useValue } = externalStore()

function set(next: boolean): void {
  clearTimeout(losing)
  losing = undefined
  if (next === isLost) return
  isLost = next
  changed()
}

/** The stream of events is open, or the page is hidden. */
export const connected = () => set(false)

/** It is closed, and tried again. */
export function disconnected(): void {
  if (!isLost) losing ??= setTimeout(set, patienceMs, true)
}

/** Whether changes are missed, since there is no connection. */
export const useIsLost = (): boolean => useValue(() => isLost)
