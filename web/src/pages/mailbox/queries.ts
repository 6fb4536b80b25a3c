import { queryOptions } from '@tanstack/react-query'
import { type Forwarding, getForwarding, getMailbox, listMailboxAccess } from '../../api/generated.ts'

export const mailboxQuery = (address: string) =>
  queryOptions({
    queryKey: ['mailboxes', address],
    queryFn: ({ signal }) => getMailbox(address, { signal }),
  })

export const accessQuery = (address: string) =>
  queryOptions({
    queryKey: ['mailboxes', address, 'access'],
    queryFn: ({ signal }) => listMailboxAccess(address, undefined, { signal }),
  })

export const forwardingQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['forwarding', mailbox],
    // The response for one mailbox is an object of its own.
    queryFn: async ({ signal }) => (await getForwarding({ mailbox }, { signal })) as Forwarding,
  })
