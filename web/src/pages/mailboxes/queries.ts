import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { listMailboxes } from '../../api/generated.ts'

export const mailboxesQuery = queryOptions({
  queryKey: ['mailboxes'],
  queryFn: ({ signal }) => allPages((cursor) => listMailboxes({ limit: 1_000, cursor }, { signal })),
})
