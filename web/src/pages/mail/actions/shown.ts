import type { EventMessage } from '../../../api/generated.ts'
import { asked, shownStates } from '../cached.ts'
import type { Place } from '../place.ts'
import { type Edit, isLeftBy, isStateOf, type State } from './edits.ts'

/** Whether everything that an edit changes is shown in its state after the edit. */
export function isShown(place: Place, { uids, change }: Edit): boolean {
  return uids.every((uid) => isShownAs(place, uid, (state) => isLeftBy(change, state)))
}

/** Whether the state in an event is shown already: then it is the event of a change that was made here. */
export function isEcho(mailbox: string, event: EventMessage): boolean {
  const { folder, uid } = event
  const place = { mailbox, folder }
  // A response under way may be older than the event.
  return uid !== null && asked(place, [uid]).length === 0 && isShownAs(place, uid, (state) => isStateOf(event, state))
}

function isShownAs(place: Place, uid: number, isAsItShouldBe: (state: State) => boolean): boolean {
  const states = shownStates(place, uid)
  return states.length > 0 && states.every(isAsItShouldBe)
}
