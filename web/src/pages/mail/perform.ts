import { changeMessages } from '../../api/generated.ts'
import { sayFailure, toasts } from '../../parts/toasts.ts'
import { refresh, showAtOnce, statesOf } from './cached.ts'
import { type Change, type Edit, inverseOf } from './edits.ts'
import type { Place } from './place.ts'

/** Messages in one request. */
const together = 500

/** How long an action can be undone. */
const undoable = 10_000

/** Requests that are under way. What is shown is asked for again after the last of them. */
let pending = 0

/** An edit of one folder. */
interface Step extends Edit {
  readonly place: Place
}

/** Changes messages: at once in what is shown, then in the service. Says what was done, and offers to undo it: each message
 *  becomes again what it was. What fails is shown as it was, with the reason. */
export async function perform(place: Place, edit: Edit, done: string): Promise<void> {
  const undo: Step[] = []
  try {
    undo.push(...(await apply({ ...edit, place })))
  } catch (error) {
    sayFailure(error)
    return
  }
  toasts.add(
    {
      text: done,
      ...(undo.length > 0 && { action: { name: 'Undo', run: () => void revert(undo) } }),
    },
    { timeout: undoable },
  )
}

/** The same for what needs no word: reading marks as read. */
export async function performQuietly(place: Place, edit: Edit): Promise<void> {
  await apply({ ...edit, place }).catch(sayFailure)
}

async function revert(steps: readonly Step[]): Promise<void> {
  try {
    for (const step of steps) await apply(step)
    toasts.add({ text: 'Undone' }, { timeout: 5_000 })
  } catch (error) {
    sayFailure(error)
  }
}

/** Answers the steps that undo it. @throws ApiError where nothing, or not all of it, was done. */
async function apply({ place, ...edit }: Step): Promise<Step[]> {
  const states = await statesOf(place, edit.uids)
  const back = await showAtOnce(place, edit, states)
  pending++
  try {
    const moved = new Map<number, number>()
    for (let at = 0; at < edit.uids.length; at += together) {
      const uids = edit.uids.slice(at, at + together)
      const answer = await changeMessages({ ...edit.change, uids }, place)
      for (const { uid, new_uid } of answer.moved) moved.set(uid, new_uid)
    }
    return undoing(place, edit.change, inverseOf(states, edit.change), moved)
  } catch (error) {
    back()
    throw error
  } finally {
    pending--
    if (pending === 0) void refresh(place)
  }
}

/** Where messages were moved, they are now elsewhere under other uids. */
function undoing(place: Place, change: Change, inverse: Edit[], moved: ReadonlyMap<number, number>): Step[] {
  if (change.folder === undefined) return inverse.map((edit) => ({ ...edit, place }))
  const there = { mailbox: place.mailbox, folder: change.folder }
  const steps = inverse.map((edit) => ({
    ...edit,
    place: there,
    uids: edit.uids.flatMap((uid) => moved.get(uid) ?? []),
  }))
  const uids = [...moved.values()]
  return uids.length === 0 ? steps : [...steps, { place: there, uids, change: { folder: place.folder } }]
}
