import { queryOptions } from '@tanstack/react-query'
import { showMe } from '../api/generated.ts'
import { queryClient } from '../app/query-client.ts'

/** Who is signed in, and what they may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => showMe({ signal }),
  staleTime: 60_000,
})

export const meChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
