import { useQuery } from '@tanstack/react-query'
import type { MeMailboxesItemLevel } from '../../../api/generated.ts'
import { meQuery } from '../../../session/me.ts'

/** The member's level for this mailbox; undefined until it is known. */
export function useLevel(mailbox: string): MeMailboxesItemLevel | undefined {
  return useQuery(meQuery).data?.mailboxes.find(({ address }) => address === mailbox)?.level
}

/** Whether mail of this mailbox may be changed: a shared one may be readable only. */
export function useMayChange(mailbox: string): boolean {
  return useLevel(mailbox) !== 'read'
}
