import { queryOptions } from '@tanstack/react-query'
import { getMe } from '../api/generated.ts'
import { queryClient } from '../app/query-client.ts'

/** The signed-in member and their permissions. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getMe({ signal }),
  staleTime: 60_000,
})

export const meChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
