import { queryOptions } from '@tanstack/react-query'
import {
  type BlockedSender,
  blockForMe,
  blockSender,
  listBlockedSenders,
  listOwnBlocks,
  unblockForMe,
  unblockSender,
} from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

export type AnyBlock = Owned<BlockedSender>

export const blocksQuery = queryOptions({
  queryKey: ['blocked-senders'],
  queryFn: ({ signal }) => ofBoth(listBlockedSenders(undefined, { signal }), listOwnBlocks(undefined, { signal })),
})

export const blocksChanged = () => queryClient.invalidateQueries({ queryKey: blocksQuery.queryKey })

const ofOrganization = { block: blockSender, unblock: unblockSender }
const ofMember = { block: blockForMe, unblock: unblockForMe }

/** Requests that change blocks of the organization or of the member. */
export const blockRequests = (own: boolean) => (own ? ofMember : ofOrganization)
