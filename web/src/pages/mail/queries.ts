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

/** In addition to events: mail on an IMAP server changes without them. */
const freshness = 30_000

export const foldersQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['folders', mailbox],
    queryFn: ({ signal }) => listFolders({ mailbox }, { signal }),
    refetchInterval: freshness,
  })

/** Views of a mailbox that change with its mail. */
export const mailKeys = (mailbox: string): QueryKey[] => [
  ['rows', mailbox],
  ['conversation', mailbox],
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
    refetchInterval: freshness,
  })

async function loadRows(place: Place, page: number, signal: AbortSignal): Promise<RowPage> {
  const { data, total } = await listThreads({ ...place, page, limit: pageSize }, { signal })
  const messages = await messagesOf(place, data.flatMap(shownUids), signal)
  const rows = data.map((thread) => ({
    ...thread,
    messages: thread.uids.flatMap((uid) => messages.get(uid) ?? []),
  }))
  return { rows, total }
}

function shownUids({ uids }: Thread): number[] {
  return uids.length <= 10 ? uids : [...uids.slice(0, 1), ...uids.slice(-9)]
}

/** Messages by uid, without those that have left the folder. */
export async function messagesOf(
  place: Place,
  uids: readonly number[],
  signal?: AbortSignal,
): Promise<Map<number, MessageItem>> {
  const parts: number[][] = []
  for (let at = 0; at < uids.length; at += together) parts.push(uids.slice(at, at + together))
  const answers = await Promise.all(
    parts.map((part) => listMessages({ ...place, uids: part.join(',') }, signal ? { signal } : {})),
  )
  return new Map(answers.flatMap(({ data }) => data.map((message) => [message.uid, message] as const)))
}

export const conversationQuery = (place: Place, id: string) =>
  queryOptions({
    queryKey: ['conversation', place.mailbox, place.folder, id],
    queryFn: ({ signal }) => getThread(id, place, { signal }),
    staleTime: freshness,
    refetchInterval: freshness,
  })

/** Recipients that messages of a conversation have not reached, by the messages' places: notices may be in other folders. */
export const notDeliveredQuery = (mailbox: string, conversation: string) =>
  queryOptions({
    queryKey: ['not-delivered', mailbox, conversation],
    queryFn: async ({ signal }) => {
      const { messages } = await getConversation(conversation, { mailbox }, { signal })
      return messages.map(({ folder, uid, not_delivered }) => ({ folder, uid, notDelivered: not_delivered }))
    },
  })

/** A whole message. Its contents never change; its state is that in the conversation. */
export const messageQuery = (place: Place, uid: number) =>
  queryOptions({
    queryKey: ['message', place.mailbox, place.folder, uid],
    queryFn: ({ signal }) => getMessage(uid, place, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
