import { type QueryKey, queryOptions } from '@tanstack/react-query'
import {
  getConversation,
  getMessage,
  getThread,
  listFolders,
  listMessages,
  listThreads,
  type MessageItem,
  type Thread,
} from '../../api/generated.ts'
import type { Place } from './place.ts'

export const foldersQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['folders', mailbox],
    queryFn: ({ signal }) => listFolders({ mailbox }, { signal }),
  })

/** Views of a mailbox that change with its mail. */
export const mailKeys = (mailbox: string): QueryKey[] => [
  ['rows', mailbox],
  ['conversation', mailbox],
  ['where', mailbox],
  ['not-delivered', mailbox],
  ['folders', mailbox],
]

/** Conversations of a page of the list. */
export const pageSize = 50

/** The most messages whose fields one request returns. */
const together = 100

/** A conversation in the list, with the messages that its row shows: the first and the newest. */
export interface Row extends Thread {
  readonly messages: readonly MessageItem[]
}

export interface RowPage {
  readonly rows: readonly Row[]
  /** Conversations in the folder. */
  readonly total: number
}

export const rowsQuery = (place: Place, page: number) =>
  queryOptions({
    queryKey: ['rows', place.mailbox, place.folder, page],
    queryFn: ({ signal }) => loadRows(place, page, signal),
  })

async function loadRows(place: Place, page: number, signal: AbortSignal): Promise<RowPage> {
  const { data, total } = await listThreads({ ...place, page, limit: pageSize }, { signal })
  const messages = await messagesOf(place, data.flatMap(shownIds), signal)
  const rows = data.map((thread) => ({
    ...thread,
    messages: thread.ids.flatMap((id) => messages.get(id) ?? []),
  }))
  return { rows, total }
}

function shownIds({ ids }: Thread): string[] {
  return ids.length <= 10 ? ids : [...ids.slice(0, 1), ...ids.slice(-9)]
}

/** Messages by id, without those that have left the folder. */
export async function messagesOf(
  place: Place,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, MessageItem>> {
  const parts: string[][] = []
  for (let at = 0; at < ids.length; at += together) parts.push(ids.slice(at, at + together))
  const answers = await Promise.all(
    parts.map((part) => listMessages({ ids: part.join(',') }, signal ? { signal } : {})),
  )
  const here = answers.flatMap(({ data }) => data.filter(({ folder }) => folder === place.folder))
  return new Map(here.map((message) => [message.id, message]))
}

export const conversationQuery = (place: Place, id: string) =>
  queryOptions({
    queryKey: ['conversation', place.mailbox, place.folder, id],
    queryFn: ({ signal }) => getThread(id, place, { signal }),
    // Events say when it changes.
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Where a message is: its folder, and its conversation there. @throws ApiError if it is gone */
export const whereQuery = (mailbox: string, id: string) =>
  queryOptions({
    queryKey: ['where', mailbox, id],
    queryFn: async ({ signal }) => {
      const { data } = await listMessages({ ids: id }, { signal })
      const { folder, thread_id } = data[0] ?? (await getMessage(id, {}, { signal }))
      return { folder, thread_id }
    },
  })

/** Recipients that messages of a conversation have not reached, by the messages' ids: notices may be in other folders. */
export const notDeliveredQuery = (mailbox: string, conversation: string) =>
  queryOptions({
    queryKey: ['not-delivered', mailbox, conversation],
    queryFn: async ({ signal }) => {
      const { messages } = await getConversation(conversation, { mailbox }, { signal })
      return messages.map(({ id, not_delivered }) => ({ id, notDelivered: not_delivered }))
    },
  })

/** A whole message. Its contents never change; its state is that in the conversation. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }) => getMessage(id, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
