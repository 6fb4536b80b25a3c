import type { QueryKey } from '@tanstack/react-query'
import type { ListFolders200, ThreadWithMessages } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { changed, type Edit, type State } from './edits.ts'
import type { Place } from './place.ts'
import { foldersQuery, messagesOf, type Row, type RowPage } from './queries.ts'

const keysOf = ({ mailbox, folder }: Place): QueryKey[] => [
  ['rows', mailbox, folder],
  ['conversation', mailbox, folder],
  foldersQuery(mailbox).queryKey,
]

/** The state of each of these messages: as it is shown, or else as the service has it. */
export async function statesOf(place: Place, uids: readonly number[]): Promise<State[]> {
  const known = new Map<number, State>()
  for (const row of cachedRows(place)) for (const message of row.messages) known.set(message.uid, message)
  for (const [, conversation] of conversations(place))
    for (const message of conversation?.messages ?? []) known.set(message.uid, message)
  const missing = uids.filter((uid) => !known.has(uid))
  if (missing.length > 0) for (const [uid, state] of await messagesOf(place, missing)) known.set(uid, state)
  return uids.flatMap((uid) => known.get(uid) ?? [])
}

/** The rows that are loaded, in their order. */
export function cachedRows({ mailbox, folder }: Place): Row[] {
  return queryClient
    .getQueriesData<RowPage>({ queryKey: ['rows', mailbox, folder] })
    .toSorted(([one], [other]) => Number(one[3]) - Number(other[3]))
    .flatMap(([, page]) => page?.rows ?? [])
}

/** A conversation as the list has it, where that is the whole. */
export function conversationInList(place: Place, id: string): ThreadWithMessages | undefined {
  const row = cachedRows(place).find((one) => one.id === id)
  if (!row || row.messages.length < row.uids.length) return undefined
  const { subject, root_message_id, folder } = row
  return {
    id,
    subject,
    root_message_id,
    folder,
    messages: row.messages.map((message) => ({ ...message, thread_id: id })),
  }
}

const conversations = ({ mailbox, folder }: Place) =>
  queryClient.getQueriesData<ThreadWithMessages>({ queryKey: ['conversation', mailbox, folder] })

/** Shows a folder as it will be after an edit. Answers what shows it again as it was. */
export async function showAtOnce(place: Place, edit: Edit, states: readonly State[]): Promise<() => void> {
  const keys = keysOf(place)
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
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
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
