import { queryOptions } from '@tanstack/react-query'
import {
  cancelFilterRun,
  cancelOwnFilterRun,
  type FilterRunItem,
  getFilterRun,
  getOwnFilterRun,
  listFilterRuns,
  listOwnFilterRuns,
  type RunFilterBody,
  runAllFilters,
  runAllOwnFilters,
  runFilter,
  runOwnFilter,
} from '../../api/generated.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

export type AnyRun = Owned<FilterRunItem>

/** How often an active run is refreshed, in milliseconds. Its progress has no events. */
const everyMs = 1_000

const next = (runs: readonly Pick<FilterRunItem, 'finished_at'>[] = []) =>
  runs.some(({ finished_at }) => finished_at === null) ? everyMs : false

/** Newest first: runs of the organization's filters, then those of the member's. */
export const runsQuery = queryOptions({
  queryKey: ['filter-runs'],
  queryFn: ({ signal }) =>
    ofBoth(listFilterRuns({ limit: 20 }, { signal }), listOwnFilterRuns({ limit: 20 }, { signal })),
  refetchInterval: ({ state }) => next(state.data),
})

export const runQuery = (own: boolean, id: string) =>
  queryOptions({
    queryKey: ['filter-runs', own, id],
    queryFn: ({ signal }) => (own ? getOwnFilterRun : getFilterRun)(id, { signal }),
    refetchInterval: ({ state }) => (state.data ? next([state.data]) : false),
  })

/** Starts a run of one filter, or of all enabled ones. */
export function beginRun(own: boolean, filterId: string | undefined, where: RunFilterBody) {
  if (filterId !== undefined) return (own ? runOwnFilter : runFilter)(filterId, where)
  return (own ? runAllOwnFilters : runAllFilters)(where)
}

export const cancelRun = (own: boolean, id: string) => (own ? cancelOwnFilterRun : cancelFilterRun)(id)
