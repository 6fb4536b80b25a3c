import type { MutationOptions, QueryKey } from '@tanstack/react-query'
import { ApiError } from '../../../api/call.ts'
import { updateManyMessages, updateMessage, type WholeChange } from '../../../api/generated.ts'
import { mutate, queryClient } from '../../../app/query-client.ts'
import { refetchSoon } from '../../../app/refetch.ts'
import { toasts } from '../../../parts/state/toasts.ts'
import { sayUndone, undo, undoable } from '../../changes/undo.ts'
import { asked, type Shown, showAtOnce, statesOf } from '../cached.ts'
import type { Place } from '../place.ts'
import { mailKeys } from '../queries.ts'
import type { Edit } from './edits.ts'
import { isShown } from './shown.ts'

/** Messages in one request. */
export const together = 500

/** Queries whose results may be older than one of the requests, or differ from what is shown. They are refreshed after the last. */
let unsure: QueryKey[] = []

/** The most messages that are marked by single requests: requests are limited. */
const mostOneByOne = 5

/** Changes messages: at once in the cache, then in the service. Shows what was done, and offers to undo it. If it fails, the
 *  old state is shown again, with the reason. */
export async function perform(place: Place, edit: Edit, done: string): Promise<void> {
  const changes = await mutate(shownAtOnce<string[]>(place, edit), () => changeAll(edit))
  if (changes === undefined) return
  const action = { name: 'Undo', run: () => void mutate(undoing(place), changes.toReversed()) }
  toasts.add({ text: done, ...(changes.length > 0 && { action }) }, { timeout: undoable })
}

/** Marks opened messages as read, without a notice. A few messages are not in the list of changes: the service records only
 *  requests that change many. */
export async function markRead(place: Place, ids: readonly string[]): Promise<void> {
  const edit = { ids, change: { unread: false } }
  const changeEach = async () => {
    for (const id of ids) await updateMessage(id, edit.change).catch(ifNotFound)
  }
  const send = ids.length > mostOneByOne ? () => changeAll(edit) : changeEach
  await mutate(shownAtOnce<unknown>(place, edit), send)
}

/** It may have been moved or deleted meanwhile. */
function ifNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}

/** Of changes of messages that are under way. */
const mutationKey = ['change of messages']

/** Shows an edit at once, while it is sent. */
function shownAtOnce<T>(place: Place, edit: Edit): MutationOptions<T, Error, () => Promise<T>, Shown> {
  return {
    mutationKey,
    mutationFn: (send) => send(),
    onMutate: async () => showAtOnce(place, edit, await statesOf(place, edit.ids)),
    onSuccess: (_answer, _send, { interrupted }) => {
      unsure.push(...interrupted, ...asked(place, edit.ids), ...(isShown(place, edit) ? [] : mailKeys(place.mailbox)))
    },
    onError: (_error, _send, shown) => {
      unsure.push(...mailKeys(place.mailbox))
      shown?.back()
    },
    onSettled: refreshAfterLast,
  }
}

/** Undoes changes, the last of which comes first. */
function undoing({ mailbox }: Place): MutationOptions<WholeChange[], Error, readonly string[]> {
  return {
    mutationKey,
    mutationFn: undo,
    onSuccess: sayUndone,
    onSettled: () => {
      unsure.push(...mailKeys(mailbox))
      refreshAfterLast()
    },
  }
}

function refreshAfterLast(): void {
  // This one still counts.
  if (queryClient.isMutating({ mutationKey }) > 1) return
  refetchSoon(unsure)
  unsure = []
}

/** Answers the changes that it made. */
async function changeAll(edit: Edit): Promise<string[]> {
  const changes: string[] = []
  for (let at = 0; at < edit.ids.length; at += together) {
    const ids = edit.ids.slice(at, at + together)
    const { change_id } = await updateManyMessages({ ...edit.change, ids })
    if (change_id !== null) changes.push(change_id)
  }
  return changes
}
