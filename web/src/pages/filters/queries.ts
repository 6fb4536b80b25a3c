import { mutationOptions, queryOptions } from '@tanstack/react-query'
import {
  createFilter,
  createOwnFilter,
  deleteFilter,
  deleteOwnFilter,
  type Filter,
  listFilters,
  listOwnFilters,
  updateFilter,
  updateOwnFilter,
} from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

export type AnyFilter = Owned<Filter>

/** In the order in which they run: the member's after the organization's. */
export const filtersQuery = queryOptions({
  queryKey: ['filters'],
  queryFn: ({ signal }) => ofBoth(listFilters(undefined, { signal }), listOwnFilters(undefined, { signal })),
})

const ofOrganization = { create: createFilter, change: updateFilter, remove: deleteFilter }
const ofMember = { create: createOwnFilter, change: updateOwnFilter, remove: deleteOwnFilter }

/** Requests that change filters of the organization or of the member. */
export const filterRequests = (own: boolean) => (own ? ofMember : ofOrganization)

interface FilterChange {
  readonly filter: AnyFilter
  readonly fields: Partial<Pick<Filter, 'enabled' | 'position'>>
}

/** Shows the change at once; if the service refuses it, the stored filters are shown again. */
export const filterChange = mutationOptions({
  mutationFn: ({ filter: { id, own }, fields }: FilterChange) => filterRequests(own).change(id, fields),
  onMutate: async ({ filter, fields }) => {
    await queryClient.cancelQueries({ queryKey: filtersQuery.queryKey })
    queryClient.setQueryData(filtersQuery.queryKey, (held) =>
      held
        ?.map((one) => (one.id === filter.id ? { ...one, ...fields } : one))
        .toSorted((one, other) => Number(one.own) - Number(other.own) || one.position - other.position),
    )
  },
  meta: { changes: [filtersQuery.queryKey] },
})

/** The position that moves a filter before or after another. `filters` are in order of position. */
export function positionBeside(
  filters: readonly Filter[],
  target: string,
  where: 'before' | 'after',
): number | undefined {
  const at = filters.findIndex(({ id }) => id === target)
  const [before, after] = where === 'before' ? [filters[at - 1], filters[at]] : [filters[at], filters[at + 1]]
  if (at < 0) return undefined
  if (!before) return after ? after.position / 2 : undefined
  return after ? (before.position + after.position) / 2 : before.position + 1
}
