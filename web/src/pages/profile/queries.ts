import { queryOptions } from '@tanstack/react-query'
import { listSessions } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => listSessions({ signal }),
})

export const sessionsChanged = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
