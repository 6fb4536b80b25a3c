import { queryOptions } from '@tanstack/react-query'
import { listMembers } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => listMembers({ limit: 1_000 }, { signal }),
})

export const membersChanged = () => queryClient.invalidateQueries({ queryKey: membersQuery.queryKey })
