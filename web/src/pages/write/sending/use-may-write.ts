import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../session/me.ts'
import { sendersOf } from '../writing.ts'

/** Whether there is a mailbox to send from, or whether this one is. */
export function useMayWrite(mailbox?: string): boolean {
  const { data: me } = useQuery(meQuery)
  return me !== undefined && sendersOf(me).some(({ address }) => mailbox === undefined || address === mailbox)
}
