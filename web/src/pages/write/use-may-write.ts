import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../session/me.ts'
import { sendersOf } from './writing.ts'

/** Whether there is a mailbox to send from. */
export function useMayWrite(): boolean {
  const { data: me } = useQuery(meQuery)
  return me !== undefined && sendersOf(me).length > 0
}
