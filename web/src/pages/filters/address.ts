import type { Tried } from './try-message.ts'

/** What the address of the page asks for. */
export interface FiltersSearch {
  /** The sender of a message that a filter is to be made from. */
  readonly from?: string
  /** Whether that is to be one's own. */
  readonly own?: true
  /** The id of a filter that is to be pointed at. */
  readonly filter?: string
  /** A message that the filters are to be tried on. */
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
