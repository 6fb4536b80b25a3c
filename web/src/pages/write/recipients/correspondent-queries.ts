import { queryOptions } from '@tanstack/react-query'
import { listMessages, searchMessages } from '../../../api/generated.ts'
import { ranked } from './correspondents.ts'

/** Messages of a folder that are looked at: the newest. */
const newest = 100

/** Who wrote to a mailbox lately, and whom it wrote to. */
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

/** Those of all its mail, older too, who are called by these words. */
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
