import { queryOptions } from '@tanstack/react-query'
import { showMe } from '../api/generated.ts'
import { queryClient } from '../app/query-client.ts'

/** The signed-in member and their permissions. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => showMe({ signal }),
  staleTime: 60_000,
})

export const meChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
