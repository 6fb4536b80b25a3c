import type { Tried } from './try-message.ts'

/** The parameters in the page's URL. */
export interface FiltersSearch {
  /** The sender that a new filter matches. */
  readonly from?: string
  /** Whether the new filter is the member's own. */
  readonly own?: true
  /** The id of the filter to focus. */
  readonly filter?: string
  /** A message to try the filters on. */
  readonly tried?: Tried
}

export function filtersSearch({ from, own, filter, tried }: Record<string, unknown>): FiltersSearch {
  return {
    ...(typeof from === 'string' && { from }),
    ...(own === true && { own }),
    ...(typeof filter === 'string' && { filter }),
    ...(isMessage(tried) && { tried }),
  }
}

function isMessage(tried: unknown): tried is Tried {
  const { mailbox, folder, uid } = (tried ?? {}) as Partial<Record<keyof Tried, unknown>>
  return typeof mailbox === 'string' && typeof folder === 'string' && typeof uid === 'number'
}
