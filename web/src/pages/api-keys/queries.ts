import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { listApiKeys } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allPages((cursor) => listApiKeys({ limit: 1_000, cursor }, { signal })),
})

export const keysChanged = () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
