/** The parameters in the page's URL. */
export interface FiltersSearch {
  /** The sender that a new filter matches. */
  readonly from?: string
  /** Whether the new filter is the member's own. */
  readonly own?: true
  /** The id of the filter to focus. */
  readonly filter?: string
  /** The id of a message to try the filters on. */
  readonly tried?: string
}

export function filtersSearch({ from, own, filter, tried }: Record<string, unknown>): FiltersSearch {
  return {
    ...(typeof from === 'string' && { from }),
    ...(own === true && { own }),
    ...(typeof filter === 'string' && { filter }),
    ...(typeof tried === 'string' && { tried }),
  }
}
