import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type PresentMember, type PresentMemberDoing, reportPresence } from '../../../api/generated.ts'
import { queryClient } from '../../../app/query-client.ts'
import type { Place } from '../place.ts'

/** The pause between reports. The service drops one after a minute. */
const reportMs = 25_000

/** What parts of this page do in each conversation: read it, or write an answer. */
const done = new Map<string, PresentMemberDoing[]>()

/** The other members in a conversation. The request also reports the member's own presence. */
const presenceQuery = (mailbox: string, conversation: string) =>
  queryOptions({
    queryKey: ['presence', mailbox, conversation],
    queryFn: () => reportPresence({ mailbox, conversation, doing: doingIn(mailbox, conversation) }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: reportMs,
  })

/** The other members in a conversation. Reports the member's own presence while this is shown and the page visible. */
export function usePresence(
  { mailbox }: Pick<Place, 'mailbox'>,
  conversation: string,
  doing: PresentMemberDoing,
): readonly PresentMember[] {
  useEffect(() => {
    const name = `${mailbox} ${conversation}`
    const { queryKey } = presenceQuery(mailbox, conversation)
    const leave = () => {
      const left = [...(done.get(name) ?? [])]
      left.splice(left.indexOf(doing), 1)
      if (left.length > 0) done.set(name, left)
      else done.delete(name)
      if (left.length > 0) void queryClient.invalidateQueries({ queryKey })
      else void reportPresence({ mailbox, conversation, doing: null }, { keepalive: true }).catch(() => {})
    }
    const here = done.get(name) ?? []
    done.set(name, [...here, doing])
    if (!here.includes(doing)) void queryClient.invalidateQueries({ queryKey })
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      // The next view has priority.
      setTimeout(leave)
    }
  }, [mailbox, conversation, doing])
  return useQuery(presenceQuery(mailbox, conversation)).data?.data ?? []
}

function doingIn(mailbox: string, conversation: string): PresentMemberDoing {
  return done.get(`${mailbox} ${conversation}`)?.includes('writing') ? 'writing' : 'reading'
}
