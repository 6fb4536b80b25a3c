import { externalStore } from '../../../parts/state/external-store.ts'
import type { Place } from '../../mail/place.ts'
import type { Writing } from '../writing.ts'
import type { Mode } from './answer.ts'

/** What the composer opens. */
export type Beginning =
  | { readonly what: 'new' }
  | { readonly what: Mode | 'draft'; readonly place: Place; readonly id: string }
  /** An unfinished message, and why it is open again. */
  | { readonly what: 'kept'; readonly writing: Writing; readonly fault?: Error }

let latest: Beginning | undefined
const { changed, useValue } = externalStore()

/** Opens the composer, from anywhere. */
export function write(beginning: Beginning): void {
  latest = beginning
  changed()
}

/** The last request. */
export const useBeginning = (): Beginning | undefined => useValue(() => latest)
