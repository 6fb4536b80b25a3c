import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { listMembers } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => allPages((page) => listMembers({ limit: 1_000, page }, { signal })),
})

export const membersChanged = () => queryClient.invalidateQueries({ queryKey: membersQuery.queryKey })
