import { queryOptions } from '@tanstack/react-query'
import { listApprovals, showDraft } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'

/** What waits, of all mailboxes that one reads. */
export const pendingQuery = queryOptions({
  queryKey: ['approvals', 'pending'],
  queryFn: ({ signal }) => listApprovals({ status: 'pending', limit: 200 }, { signal }),
})

/** What was asked for lately, whatever became of it. */
export const latestQuery = queryOptions({
  queryKey: ['approvals', 'latest'],
  queryFn: ({ signal }) => listApprovals({ limit: 50 }, { signal }),
})

/** The last one of a draft. */
export const approvalOfQuery = (draft: string) =>
  queryOptions({
    queryKey: ['approvals', 'of', draft],
    queryFn: async ({ signal }) => (await listApprovals({ draft, limit: 1 }, { signal })).data[0] ?? null,
  })

/** A draft as it is now. */
export const draftQuery = (id: string) =>
  queryOptions({ queryKey: ['approvals', 'draft', id], queryFn: ({ signal }) => showDraft(id, { signal }) })

export const approvalsChanged = () => queryClient.invalidateQueries({ queryKey: ['approvals'] })
