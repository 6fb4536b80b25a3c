import type { Change } from '#/mail/store/change.ts'

/** What a run has found and done so far. */
export interface Counts {
  /** Messages that a filter matched, and those that were changed: a preview's would be. */
  readonly matched: number
  readonly changed: number
  /** Of those changed. */
  readonly moved: number
  readonly labelled: number
  readonly starred: number
  readonly read: number
  /** Of each filter, in their order. */
  readonly filters: readonly FilterCounts[]
}

export interface FilterCounts {
  /** Messages that it matched, and those on which it acted. */
  readonly matched: number
  readonly applied: number
}

export type Changes = Omit<Counts, 'matched' | 'filters'>

export const noChanges: Changes = { changed: 0, moved: 0, labelled: 0, starred: 0, read: 0 }

export function noCounts(filters: number): Counts {
  return { matched: 0, ...noChanges, filters: Array.from({ length: filters }, () => ({ matched: 0, applied: 0 })) }
}

/** Of as many messages that are changed so. */
export function changesOf({ folder, addKeywords = [], flagged, seen }: Change, messages: number): Changes {
  const count = (is: boolean) => (is ? messages : 0)
  return {
    changed: messages,
    moved: count(folder !== undefined),
    labelled: count(addKeywords.length > 0),
    starred: count(flagged === true),
    read: count(seen === true),
  }
}

export function plusChanges(one: Counts, other: Changes): Counts {
  return { ...one, ...sumOfChanges(one, other) }
}

export function sumOfChanges(one: Changes, other: Changes): Changes {
  return {
    changed: one.changed + other.changed,
    moved: one.moved + other.moved,
    labelled: one.labelled + other.labelled,
    starred: one.starred + other.starred,
    read: one.read + other.read,
  }
}
