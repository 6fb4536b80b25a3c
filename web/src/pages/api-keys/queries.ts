import { queryOptions } from '@tanstack/react-query'
import { listApiKeys } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => listApiKeys({ limit: 1_000 }, { signal }),
})

export const keysChanged = () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
