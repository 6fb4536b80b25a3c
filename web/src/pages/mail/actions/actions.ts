import { folderName } from '../../../parts/text/folder-name.ts'
import { count } from '../../../parts/text/size.ts'
import type { Place } from '../place.ts'
import { perform } from './perform.ts'
import type { Subject } from './subject.ts'

type Subjects = readonly Subject[]

/** Moves whole conversations. */
export function move(place: Place, subjects: Subjects, folder: string): Promise<void> {
  const ids = subjects.flatMap((one) => one.ids)
  return perform(place, { ids, change: { folder } }, `${counted(subjects)} moved to ${folderName(folder)}`)
}

/** Stars the newest message of each; if all have a star, removes all stars. */
export function star(place: Place, subjects: Subjects): Promise<void> {
  const without = subjects.filter(({ starred }) => !starred)
  if (without.length === 0) {
    const ids = subjects.flatMap((one) => one.ids)
    return perform(place, { ids, change: { starred: false } }, `${counted(subjects)} no longer starred`)
  }
  const ids = without.flatMap((one) => one.ids.slice(-1))
  return perform(place, { ids, change: { starred: true } }, `${counted(without)} starred`)
}

/** Marks all messages as read, or the newest of each as unread. */
export function mark(place: Place, subjects: Subjects, unread: boolean): Promise<void> {
  const ids = subjects.flatMap((one) => (unread ? one.ids.slice(-1) : one.ids))
  return perform(place, { ids, change: { unread } }, `${counted(subjects)} marked as ${unread ? 'unread' : 'read'}`)
}

/** Adds a label; if all have it, removes it. */
export function label(
  place: Place,
  subjects: Subjects,
  { keyword, name }: { keyword: string; name: string },
): Promise<void> {
  const off = subjects.every(({ labels }) => labels.has(keyword))
  const ids = subjects.flatMap((one) => one.ids)
  const change = off ? { remove_labels: [keyword] } : { add_labels: [keyword] }
  return perform(place, { ids, change }, off ? `Label ${name} taken off` : `${counted(subjects)} labelled ${name}`)
}

function counted({ length }: Subjects): string {
  return length === 1 ? 'Conversation' : `${count(length)} conversations`
}
