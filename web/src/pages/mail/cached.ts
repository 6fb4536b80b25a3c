import type { QueryKey } from '@tanstack/react-query'
import type { ListFoldersResponse, ThreadWithMessages } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { changed, type Edit, type State } from './actions/edits.ts'
import type { Place } from './place.ts'
import { conversationQuery, foldersQuery, messagesOf, type Row, type RowPage } from './queries.ts'

/** The queries that show these messages. Of conversations, all but those that the list shows without any of them. */
function queriesOf(place: Place, messages: readonly string[]): QueryKey[] {
  const wanted = new Set(messages)
  const others = cachedRows(place).filter((row) => !row.ids.some((id) => wanted.has(id)))
  const ids = new Set<unknown>(others.map(({ id }) => id))
  const keys = queryClient.getQueryCache().findAll({ queryKey: ofConversations(place) })
  const shown = keys.map(({ queryKey }) => queryKey).filter(([, , , id]) => !ids.has(id))
  return [ofRows(place), foldersQuery(place.mailbox).queryKey, ...shown]
}

const ofRows = ({ mailbox, folder }: Place): QueryKey => ['rows', mailbox, folder]
const ofConversations = ({ mailbox, folder }: Place): QueryKey => ['conversation', mailbox, folder]

/** The state of each of these messages, as shown or else as in the service. */
export async function statesOf(place: Place, ids: readonly string[]): Promise<State[]> {
  const known = new Map<string, State>()
  for (const row of cachedRows(place)) for (const message of row.messages) known.set(message.id, message)
  for (const [, conversation] of conversations(place))
    for (const message of conversation?.messages ?? []) known.set(message.id, message)
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length > 0) for (const [id, state] of await messagesOf(place, missing)) known.set(id, state)
  return ids.flatMap((id) => known.get(id) ?? [])
}

/** The loaded rows, in order. */
export function cachedRows(place: Place): Row[] {
  return pages(place)
    .toSorted(([one], [other]) => Number(one[3]) - Number(other[3]))
    .flatMap(([, page]) => page?.rows ?? [])
}

/** The conversation in the list that has a message. */
export function rowWith(place: Place, message: string): Row | undefined {
  return cachedRows(place).find(({ ids }) => ids.includes(message))
}

/** A conversation in the list, if the list has all of it, and since when. */
export function conversationInList(
  place: Place,
  id: string,
): { readonly conversation: ThreadWithMessages; readonly at: number } | undefined {
  for (const [queryKey, page] of pages(place)) {
    const row = page?.rows.find((one) => one.id === id)
    if (!row) continue
    if (!isWhole(row)) return undefined
    const { subject, root_message_id, folder } = row
    const messages = row.messages.map((message) => ({ ...message, thread_id: id }))
    const at = queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? 0
    return { conversation: { id, subject, root_message_id, folder, messages }, at }
  }
  return undefined
}

const pages = (place: Place) => queryClient.getQueriesData<RowPage>({ queryKey: ofRows(place) })

/** Whether the list has all messages of a conversation, not only those of its row. */
const isWhole = ({ messages, ids }: Row) => messages.length === ids.length

/** All messages of a conversation in the list: from the list, or else from the conversation if that was loaded. */
function wholeOf(place: Place, row: Row): readonly State[] | undefined {
  if (isWhole(row)) return row.messages
  const { queryKey } = conversationQuery(place, row.id)
  if (queryClient.getQueryState(queryKey)?.isInvalidated !== false) return undefined
  const messages = queryClient.getQueryData(queryKey)?.messages
  return messages?.length === row.ids.length ? messages : undefined
}

/** A message everywhere it is shown in a folder. None if only part of its conversation was loaded: then the effects of an edit are
 *  not all known. */
export function shownStates(place: Place, id: string): State[] {
  const row = rowWith(place, id)
  if (!row || !wholeOf(place, row)) return []
  const all = [row, ...conversations(place).map(([, conversation]) => conversation)]
  return all.flatMap((one) => one?.messages.filter((message) => message.id === id) ?? [])
}

const conversations = (place: Place) =>
  queryClient.getQueriesData<ThreadWithMessages>({ queryKey: ofConversations(place) })

/** The queries under way that may show these messages. */
export const asked = (place: Place, ids: readonly string[]): QueryKey[] => queriesOf(place, ids).filter(isFetching)

const isFetching = (queryKey: QueryKey): boolean => queryClient.isFetching({ queryKey }) > 0

export interface Shown {
  /** Restores the folder as it was shown. */
  readonly back: () => void
  /** Queries that were under way, which are aborted. */
  readonly interrupted: readonly QueryKey[]
}

/** Shows a folder in its state after an edit. */
export async function showAtOnce(place: Place, edit: Edit, states: readonly State[]): Promise<Shown> {
  const keys = queriesOf(place, edit.ids)
  const interrupted = keys.filter(isFetching)
  await Promise.all(keys.map((queryKey) => queryClient.cancelQueries({ queryKey })))
  const before = keys.flatMap((queryKey) => queryClient.getQueriesData({ queryKey }))
  const ids = new Set(edit.ids)
  const after = <T extends State>(message: T) => (ids.has(message.id) ? changed(message, edit.change) : message)
  for (const [queryKey, conversation] of conversations(place)) {
    if (!conversation?.messages.some(({ id }) => ids.has(id))) continue
    const wasOld = queryClient.getQueryState(queryKey)?.isInvalidated
    queryClient.setQueryData(queryKey, { ...conversation, messages: conversation.messages.map(after) })
    if (wasOld) void queryClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
  }
  const isMove = edit.change.folder !== undefined
  changeRows(place, (row) => {
    if (!row.ids.some((id) => ids.has(id))) return row
    // Of a conversation that was not loaded as a whole, `unread` stays until the service has answered.
    return isMove ? without(row, ids) : withMessages(row, row.messages.map(after), wholeOf(place, row)?.map(after))
  })
  count(place, edit, states)
  const back = () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
  return { back, interrupted }
}

function changeRows(place: Place, change: (row: Row) => Row | undefined): void {
  const gone = cachedRows(place).filter((row) => change(row) === undefined).length
  queryClient.setQueriesData<RowPage>({ queryKey: ofRows(place) }, (page) => {
    if (!page) return undefined
    const rows = page.rows.flatMap((row) => change(row) ?? [])
    const isSame = gone === 0 && rows.every((row, at) => row === page.rows[at])
    return isSame ? undefined : { rows, total: page.total - gone }
  })
}

function withMessages(row: Row, messages: Row['messages'], whole: readonly State[] | undefined): Row {
  return { ...row, messages, unread: whole?.some(({ unread }) => unread) ?? row.unread }
}

function without(row: Row, gone: ReadonlySet<string>): Row | undefined {
  const ids = row.ids.filter((id) => !gone.has(id))
  if (ids.length === 0) return undefined
  const messages = row.messages.filter(({ id }) => !gone.has(id))
  const whole = ids.length === messages.length ? messages : undefined
  return { ...withMessages(row, messages, whole), ids, message_count: ids.length }
}

function count({ mailbox, folder }: Place, { change }: Edit, states: readonly State[]): void {
  const unread = states.filter((state) => state.unread).length
  const moved = change.folder !== undefined
  const unreadAfter = change.unread === undefined ? unread : change.unread ? states.length : 0
  queryClient.setQueryData<ListFoldersResponse>(foldersQuery(mailbox).queryKey, (held) => {
    if (!held) return held
    const data = held.data.map((one) => {
      if (one.name === folder)
        return {
          ...one,
          total: one.total - (moved ? states.length : 0),
          unread: Math.max(0, one.unread - unread + (moved ? 0 : unreadAfter)),
        }
      if (moved && one.name === change.folder)
        return { ...one, total: one.total + states.length, unread: one.unread + unreadAfter }
      return one
    })
    return { ...held, data }
  })
}
