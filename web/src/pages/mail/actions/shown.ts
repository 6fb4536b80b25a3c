import type { EventMessage } from '../../../api/generated.ts'
import { asked, shownStates } from '../cached.ts'
import type { Place } from '../place.ts'
import { type Edit, isLeftBy, isStateOf, type State } from './edits.ts'

/** Whether everything that an edit changes is shown in its state after the edit. */
export function isShown(place: Place, { ids, change }: Edit): boolean {
  return ids.every((id) => isShownAs(place, id, (state) => isLeftBy(change, state)))
}

/** Whether the state in an event is shown already: then it is the event of a change that was made here. */
export function isEcho(mailbox: string, event: EventMessage): boolean {
  const { folder, id } = event
  const place = { mailbox, folder }
  // A response under way may be older than the event.
  return asked(place, [id]).length === 0 && isShownAs(place, id, (state) => isStateOf(event, state))
}

function isShownAs(place: Place, id: string, isAsItShouldBe: (state: State) => boolean): boolean {
  const states = shownStates(place, id)
  return states.length > 0 && states.every(isAsItShouldBe)
}
