import { useQueries } from '@tanstack/react-query'
import type { Place } from '../place.ts'
import { pageSize, type Row, rowsQuery } from '../queries.ts'

export interface Rows {
  /** Conversations in the folder; undefined until known. */
  readonly total: number | undefined
  /** The conversation at this row; undefined while it is loading. */
  readonly at: (index: number) => Row | undefined
  readonly error: Error | undefined
  readonly again: () => void
}

/** The conversations of a folder. The first page and those around `first` to `last` are loaded. */
export function useRows(place: Place, first: number, last: number): Rows {
  const [from, to] = [Math.floor(first / pageSize), Math.floor(Math.max(first, last) / pageSize)]
  const pages = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, index) => from + index)])]
  const results = useQueries({ queries: pages.map((page) => rowsQuery(place, page)) })
  const newest = results
    .filter(({ data }) => data !== undefined)
    .toSorted((one, other) => other.dataUpdatedAt - one.dataUpdatedAt)[0]
  const failed = results.find(({ error, data }) => error && !data)
  return {
    total: newest?.data?.total,
    at: (index) => results[pages.indexOf(Math.floor(index / pageSize))]?.data?.rows[index % pageSize],
    error: failed?.error ?? undefined,
    again: () => {
      for (const { refetch } of results) void refetch()
    },
  }
}
