import { queryOptions } from '@tanstack/react-query'
import { listMailboxes } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const mailboxesQuery = queryOptions({
  queryKey: ['mailboxes'],
  queryFn: ({ signal }) => listMailboxes({ limit: 1_000 }, { signal }),
})

export const mailboxesChanged = () => queryClient.invalidateQueries({ queryKey: mailboxesQuery.queryKey })
