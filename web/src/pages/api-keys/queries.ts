import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { listApiKeys } from '../../api/generated.ts'

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allPages((cursor) => listApiKeys({ limit: 1_000, cursor }, { signal })),
})
