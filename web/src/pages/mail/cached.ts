import type { QueryKey } from '@tanstack/react-query'
import type { ListFolders200, ThreadWithMessages } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { changed, type Edit, type State } from './actions/edits.ts'
import type { Place } from './place.ts'
import { foldersQuery, messagesOf, type Row, type RowPage } from './queries.ts'

const keysOf = ({ mailbox, folder }: Place): QueryKey[] => [
  ['rows', mailbox, folder],
  ['conversation', mailbox, folder],
  foldersQuery(mailbox).queryKey,
]

/** The state of each of these messages, as shown or else as in the service. */
export async function statesOf(place: Place, uids: readonly number[]): Promise<State[]> {
  const known = new Map<number, State>()
  for (const row of cachedRows(place)) for (const message of row.messages) known.set(message.uid, message)
  for (const [, conversation] of conversations(place))
    for (const message of conversation?.messages ?? []) known.set(message.uid, message)
  const missing = uids.filter((uid) => !known.has(uid))
  if (missing.length > 0) for (const [uid, state] of await messagesOf(place, missing)) known.set(uid, state)
  return uids.flatMap((uid) => known.get(uid) ?? [])
}

/** The loaded rows, in order. */
export function cachedRows(place: Place): Row[] {
  return pages(place)
    .toSorted(([one], [other]) => Number(one[3]) - Number(other[3]))
    .flatMap(([, page]) => page?.rows ?? [])
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

const pages = ({ mailbox, folder }: Place) =>
  queryClient.getQueriesData<RowPage>({ queryKey: ['rows', mailbox, folder] })

/** Whether the list has all messages of a conversation, not only those of its row. */
const isWhole = ({ messages, uids }: Row) => messages.length === uids.length

/** A message everywhere it is shown in a folder. None if the list has only part of its conversation: then the effects of an
 *  edit are not all known. */
export function shownStates(place: Place, uid: number): State[] {
  const row = cachedRows(place).find(({ uids }) => uids.includes(uid))
  if (!row || !isWhole(row)) return []
  const all = [row, ...conversations(place).map(([, conversation]) => conversation)]
  return all.flatMap((one) => one?.messages.filter((message) => message.uid === uid) ?? [])
}

const conversations = ({ mailbox, folder }: Place) =>
  queryClient.getQueriesData<ThreadWithMessages>({ queryKey: ['conversation', mailbox, folder] })

/** Whether data of a folder is being requested. */
export const isAsked = (place: Place): boolean =>
  keysOf(place).some((queryKey) => queryClient.isFetching({ queryKey }) > 0)

export interface Shown {
  /** Restores the folder as it was shown. */
  readonly back: () => void
  /** Whether a request for the folder was under way, which is aborted. */
  readonly interrupted: boolean
}

/** Shows a folder in its state after an edit. */
export async function showAtOnce(place: Place, edit: Edit, states: readonly State[]): Promise<Shown> {
  const keys = keysOf(place)
  const interrupted = isAsked(place)
  await Promise.all(keys.map((queryKey) => queryClient.cancelQueries({ queryKey })))
  const before = keys.flatMap((queryKey) => queryClient.getQueriesData({ queryKey }))
  const uids = new Set(edit.uids)
  const after = <T extends State>(message: T) => (uids.has(message.uid) ? changed(message, edit.change) : message)
  if (edit.change.folder === undefined) changeRows(place, (row) => withMessages(row, row.messages.map(after)))
  else changeRows(place, (row) => without(row, uids))
  queryClient.setQueriesData<ThreadWithMessages>(
    { queryKey: ['conversation', place.mailbox, place.folder] },
    (held) => held && { ...held, messages: held.messages.map(after) },
  )
  count(place, edit, states)
  const back = () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
  return { back, interrupted }
}

function changeRows({ mailbox, folder }: Place, change: (row: Row) => Row | undefined): void {
  const gone = cachedRows({ mailbox, folder }).filter((row) => change(row) === undefined).length
  queryClient.setQueriesData<RowPage>(
    { queryKey: ['rows', mailbox, folder] },
    (page) => page && { rows: page.rows.flatMap((row) => change(row) ?? []), total: page.total - gone },
  )
}

function withMessages(row: Row, messages: Row['messages']): Row {
  return { ...row, messages, unread: messages.some(({ unread }) => unread) }
}

function without(row: Row, uids: ReadonlySet<number>): Row | undefined {
  const left = row.uids.filter((uid) => !uids.has(uid))
  if (left.length === row.uids.length) return row
  if (left.length === 0) return undefined
  const messages = row.messages.filter(({ uid }) => !uids.has(uid))
  return { ...withMessages(row, messages), uids: left, message_count: left.length }
}

function count({ mailbox, folder }: Place, { change }: Edit, states: readonly State[]): void {
  const unread = states.filter((state) => state.unread).length
  const moved = change.folder !== undefined
  const unreadAfter = change.unread === undefined ? unread : change.unread ? states.length : 0
  queryClient.setQueryData<ListFolders200>(foldersQuery(mailbox).queryKey, (held) => {
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
    return { data }
  })
}
