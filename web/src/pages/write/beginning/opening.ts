import { useSyncExternalStore } from 'react'
import type { Place } from '../../mail/place.ts'
import type { Writing } from '../writing.ts'
import type { Mode } from './answer.ts'

/** What is to be written. */
export type Beginning =
  | { readonly what: 'new' }
  | { readonly what: Mode | 'draft'; readonly place: Place; readonly uid: number }
  /** What was begun before, and why it is back. */
  | { readonly what: 'kept'; readonly writing: Writing; readonly fault?: Error }

let latest: Beginning | undefined
const listeners = new Set<() => void>()

/** Opens the composer, from wherever. */
export function write(beginning: Beginning): void {
  latest = beginning
  for (const listener of listeners) listener()
}

/** What was asked for last. */
export function useBeginning(): Beginning | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => latest,
  )
}
