import { queryOptions } from '@tanstack/react-query'
import {
  type BlockedSender,
  createBlockedSender,
  createOwnBlockedSender,
  deleteBlockedSender,
  deleteOwnBlockedSender,
  listBlockedSenders,
  listOwnBlockedSenders,
} from '../../api/generated.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

export type AnyBlock = Owned<BlockedSender>

export const blocksQuery = queryOptions({
  queryKey: ['blocked-senders'],
  queryFn: ({ signal }) =>
    ofBoth(listBlockedSenders(undefined, { signal }), listOwnBlockedSenders(undefined, { signal })),
})

const ofOrganization = { block: createBlockedSender, unblock: deleteBlockedSender }
const ofMember = { block: createOwnBlockedSender, unblock: deleteOwnBlockedSender }

/** Requests that change blocks of the organization or of the member. */
export const blockRequests = (own: boolean) => (own ? ofMember : ofOrganization)
