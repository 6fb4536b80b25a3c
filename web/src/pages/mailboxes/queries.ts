import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { listMailboxes } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

export const mailboxesQuery = queryOptions({
  queryKey: ['mailboxes'],
  queryFn: ({ signal }) => allPages((cursor) => listMailboxes({ limit: 1_000, cursor }, { signal })),
})

export const mailboxesChanged = () => queryClient.invalidateQueries({ queryKey: mailboxesQuery.queryKey })
