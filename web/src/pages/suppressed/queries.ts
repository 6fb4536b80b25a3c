import { infiniteQueryOptions } from '@tanstack/react-query'
import { listSuppressions } from '../../api/generated.ts'

/** Suppressed addresses that have a text in them, newest first. */
export const suppressedQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['suppressions', search],
    queryFn: ({ pageParam, signal }) =>
      listSuppressions({ limit: 100, cursor: pageParam, ...(search !== '' && { search }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
