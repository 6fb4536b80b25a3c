import { queryOptions } from '@tanstack/react-query'
import { changeFilter, type Filter, type ListFilters200, listFilters } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const filtersQuery = queryOptions({ queryKey: ['filters'], queryFn: ({ signal }) => listFilters({ signal }) })

export const filtersChanged = () => queryClient.invalidateQueries({ queryKey: filtersQuery.queryKey })

/** Shows the change at once, and what the service has where it refuses it. */
export async function change(filter: Filter, fields: Partial<Pick<Filter, 'enabled' | 'position'>>): Promise<void> {
  await queryClient.cancelQueries({ queryKey: filtersQuery.queryKey })
  queryClient.setQueryData(filtersQuery.queryKey, (held: ListFilters200 | undefined) => {
    const data = held?.data.map((one) => (one.id === filter.id ? { ...one, ...fields } : one)) ?? []
    return { data: data.toSorted((one, other) => one.position - other.position) }
  })
  try {
    await changeFilter(filter.id, fields)
  } finally {
    await filtersChanged()
  }
}

/** The position that puts a filter before or after another; the filters are in their order. */
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
