import type { EventMessage } from '../../../api/generated.ts'
import { isAsked, shownStates } from '../cached.ts'
import type { Place } from '../place.ts'
import { type Edit, isLeftBy, isToldBy, type State } from './edits.ts'

/** Whether all that an edit changes is shown, and as the edit leaves it. */
export function isShown(place: Place, { uids, change }: Edit): boolean {
  return uids.every((uid) => isShownAs(place, uid, (state) => isLeftBy(change, state)))
}

/** Whether an event tells of a message what is shown of it already: then it is the echo of a change that was made here. */
export function isEcho(mailbox: string, event: EventMessage): boolean {
  const { folder, uid } = event
  const place = { mailbox, folder }
  // An answer that is on its way may be older than the event.
  return uid !== null && !isAsked(place) && isShownAs(place, uid, (state) => isToldBy(event, state))
}

function isShownAs(place: Place, uid: number, isAsItShouldBe: (state: State) => boolean): boolean {
  const states = shownStates(place, uid)
  return states.length > 0 && states.every(isAsItShouldBe)
}
