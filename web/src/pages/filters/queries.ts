import { queryOptions } from '@tanstack/react-query'
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
import { sayFailure } from '../../parts/state/toasts.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

export type AnyFilter = Owned<Filter>

/** In the order in which they run: the member's after the organization's. */
export const filtersQuery = queryOptions({
  queryKey: ['filters'],
  queryFn: ({ signal }) => ofBoth(listFilters(undefined, { signal }), listOwnFilters(undefined, { signal })),
})

export const filtersChanged = () => queryClient.invalidateQueries({ queryKey: filtersQuery.queryKey })

const ofOrganization = { create: createFilter, change: updateFilter, remove: deleteFilter }
const ofMember = { create: createOwnFilter, change: updateOwnFilter, remove: deleteOwnFilter }

/** Requests that change filters of the organization or of the member. */
export const filterRequests = (own: boolean) => (own ? ofMember : ofOrganization)

/** Shows the change at once; if the service refuses it, shows the stored filters again. */
export async function change(filter: AnyFilter, fields: Partial<Pick<Filter, 'enabled' | 'position'>>): Promise<void> {
  await queryClient.cancelQueries({ queryKey: filtersQuery.queryKey })
  queryClient.setQueryData(filtersQuery.queryKey, (held) =>
    held
      ?.map((one) => (one.id === filter.id ? { ...one, ...fields } : one))
      .toSorted((one, other) => Number(one.own) - Number(other.own) || one.position - other.position),
  )
  try {
    await filterRequests(filter.own).change(filter.id, fields)
  } catch (error) {
    sayFailure(error)
  } finally {
    await filtersChanged()
  }
}

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
