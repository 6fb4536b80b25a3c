import { queryOptions } from '@tanstack/react-query'
import { listMessages, searchMessages } from '../../../api/generated.ts'
import { ranked } from './correspondents.ts'

/** The number of the newest messages of a folder that are read. */
const newest = 100

/** Recent senders and recipients of a mailbox's mail. */
export const recentQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['correspondents', mailbox],
    queryFn: async ({ signal }) => {
      const list = (folder: string) => listMessages({ mailbox, folder, limit: newest }, { signal })
      const [sent, received] = await Promise.all([list('sent'), list('inbox')])
      return ranked(sent.data, received.data, mailbox)
    },
    staleTime: 300_000,
    retry: false,
  })

/** Those with these words in their names, in all of its mail. */
export const olderQuery = (mailbox: string, typed: string) =>
  queryOptions({
    queryKey: ['correspondents', mailbox, typed],
    queryFn: async ({ signal }) => {
      const words = `"${typed.replace(/["\\]/g, ' ')}"`
      const { data } = await searchMessages({ q: `from:${words} OR to:${words}`, mailbox, limit: 50 }, { signal })
      return ranked([], data, mailbox)
    },
    staleTime: 300_000,
    retry: false,
  })
