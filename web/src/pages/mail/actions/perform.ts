import type { QueryKey } from '@tanstack/react-query'
import { ApiError } from '../../../api/call.ts'
import { updateManyMessages, updateMessage } from '../../../api/generated.ts'
import { refetchSoon } from '../../../app/refetch.ts'
import { sayFailure, toasts } from '../../../parts/state/toasts.ts'
import { sayUndone, undo, undoable } from '../../changes/undo.ts'
import { asked, showAtOnce, statesOf } from '../cached.ts'
import type { Place } from '../place.ts'
import { mailKeys } from '../queries.ts'
import type { Edit } from './edits.ts'
import { isShown } from './shown.ts'

/** Messages in one request. */
export const together = 500

/** Current requests. */
let pending = 0

/** Queries whose results may be older than one of the requests, or differ from what is shown. They are refreshed after the last. */
let unsure: QueryKey[] = []

/** The most messages that are marked by single requests: requests are limited. */
const mostOneByOne = 5

/** Changes messages: at once in the cache, then in the service. Shows what was done, and offers to undo it. If it fails, the
 *  old state is shown again, with the reason. */
export async function perform(place: Place, edit: Edit, done: string): Promise<void> {
  try {
    const changes = await apply(place, edit, () => changeAll(edit))
    const action = { name: 'Undo', run: () => void revert(place, changes) }
    toasts.add({ text: done, ...(changes.length > 0 && { action }) }, { timeout: undoable })
  } catch (error) {
    sayFailure(error)
  }
}

/** Marks opened messages as read, without a notice. A few messages are not in the list of changes: the service records only
 *  requests that change many. */
export async function markRead(place: Place, ids: readonly string[]): Promise<void> {
  const edit = { ids, change: { unread: false } }
  const changeEach = async () => {
    for (const id of ids) await updateMessage(id, edit.change).catch(ifNotFound)
  }
  const send = ids.length > mostOneByOne ? () => changeAll(edit) : changeEach
  await apply<unknown>(place, edit, send).catch(sayFailure)
}

/** It may have been moved or deleted meanwhile. */
function ifNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}

/** The last first. */
async function revert({ mailbox }: Place, changes: readonly string[]): Promise<void> {
  try {
    unsure.push(...mailKeys(mailbox))
    sayUndone(await whilePending(() => undo(changes.toReversed())))
  } catch (error) {
    sayFailure(error)
  }
}

/** Shows an edit at once, and sends it. @throws ApiError if it was not done completely */
async function apply<T>(place: Place, edit: Edit, send: () => Promise<T>): Promise<T> {
  const { back, interrupted } = await showAtOnce(place, edit, await statesOf(place, edit.ids))
  return whilePending(async () => {
    try {
      const answer = await send()
      unsure.push(...interrupted, ...asked(place, edit.ids), ...(isShown(place, edit) ? [] : mailKeys(place.mailbox)))
      return answer
    } catch (error) {
      unsure.push(...mailKeys(place.mailbox))
      back()
      throw error
    }
  })
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

async function whilePending<T>(work: () => Promise<T>): Promise<T> {
  pending++
  try {
    return await work()
  } finally {
    pending--
    if (pending === 0) {
      refetchSoon(unsure)
      unsure = []
    }
  }
}
