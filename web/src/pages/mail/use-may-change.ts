import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../session/me.ts'

/** Whether mail of this mailbox may be changed: a shared one may be there to be read alone. */
export function useMayChange(mailbox: string): boolean {
  return useQuery(meQuery).data?.mailboxes.find(({ address }) => address === mailbox)?.level !== 'read'
}
