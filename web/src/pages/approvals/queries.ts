import { type QueryKey, queryOptions } from '@tanstack/react-query'
import { getDraft, listApprovals } from '../../api/generated.ts'

/** Pending approvals in all mailboxes that the member reads. */
export const pendingQuery = queryOptions({
  queryKey: ['approvals', 'pending'],
  queryFn: ({ signal }) => listApprovals({ status: 'pending', limit: 200 }, { signal }),
})

/** The latest approvals, pending and decided. */
export const latestQuery = queryOptions({
  queryKey: ['approvals', 'latest'],
  queryFn: ({ signal }) => listApprovals({ limit: 50 }, { signal }),
})

/** The latest approval of a draft. */
export const approvalOfQuery = (draft: string) =>
  queryOptions({
    queryKey: ['approvals', 'of', draft],
    queryFn: async ({ signal }) => (await listApprovals({ draft, limit: 1 }, { signal })).data[0] ?? null,
  })

export const draftQuery = (id: string) =>
  queryOptions({ queryKey: ['approvals', 'draft', id], queryFn: ({ signal }) => getDraft(id, { signal }) })

/** What the keys of all queries of approvals begin with. */
export const ofApprovals: QueryKey = ['approvals']
