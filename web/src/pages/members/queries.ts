import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { listMembers } from '../../api/generated.ts'

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => allPages((cursor) => listMembers({ limit: 1_000, cursor }, { signal })),
})
