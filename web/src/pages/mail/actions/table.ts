import type { Action } from '../../../parts/actions/action.ts'
import type { Mode } from '../../write/beginning/answer.ts'
import type { Place } from '../place.ts'
import { mark, star } from './actions.ts'
import type { Subject } from './subject.ts'

/** Selected or open conversations. */
export interface Chosen {
  readonly place: Place
  readonly subjects: readonly Subject[]
  readonly moveTo: (folder: string) => void
  /** Opens a menu or a dialog. */
  readonly open: (what: 'label' | 'move' | 'erase') => void
}

const isIn =
  (...folders: readonly string[]) =>
  ({ place }: Chosen) =>
    folders.includes(place.folder)

const isNotIn = (folder: string) => (chosen: Chosen) => !isIn(folder)(chosen)
const isStarred = ({ subjects }: Chosen) => subjects.every(({ starred }) => starred)
const isUnread = ({ unread }: Subject) => unread

export const conversationActions: readonly Action<Chosen>[] = [
  {
    name: 'Archive',
    icon: 'archive',
    key: 'e',
    when: isNotIn('archive'),
    do: ({ moveTo }) => moveTo('archive'),
  },
  { name: 'Junk', icon: 'junk', key: '!', when: isNotIn('junk'), do: ({ moveTo }) => moveTo('junk') },
  { name: 'Not junk', icon: 'junk', key: '!', when: isIn('junk'), do: ({ moveTo }) => moveTo('inbox') },
  { name: 'Delete', icon: 'delete', key: '#', when: isNotIn('trash'), do: ({ moveTo }) => moveTo('trash') },
  { name: 'Delete for good', icon: 'erase', key: '#', when: isIn('trash'), do: ({ open }) => open('erase') },
  { name: 'Delete for good', icon: 'erase', when: isIn('junk'), do: ({ open }) => open('erase') },
  {
    name: 'Mark as read',
    icon: 'read',
    key: 'Shift I',
    when: ({ subjects }) => subjects.some(isUnread),
    do: ({ place, subjects }) => void mark(place, subjects, false),
  },
  {
    name: 'Mark as unread',
    icon: 'unread',
    key: 'Shift U',
    when: ({ subjects }) => !subjects.every(isUnread),
    do: ({ place, subjects }) => void mark(place, subjects, true),
  },
  {
    name: 'Star',
    icon: 'star',
    key: 's',
    when: (chosen) => !isStarred(chosen),
    do: ({ place, subjects }) => void star(place, subjects),
  },
  {
    name: 'Remove star',
    icon: 'star',
    key: 's',
    when: isStarred,
    on: () => true,
    do: ({ place, subjects }) => void star(place, subjects),
  },
  { name: 'Label', icon: 'label', key: 'l', do: ({ open }) => open('label') },
  { name: 'Move', icon: 'folder', key: 'v', do: ({ open }) => open('move') },
]

export const answerActions: readonly Action<(what: Mode) => void>[] = [
  { name: 'Reply', icon: 'reply', key: 'r', do: (answer) => answer('reply') },
  { name: 'Reply to all', icon: 'reply_all', key: 'a', do: (answer) => answer('reply_all') },
  { name: 'Forward', icon: 'forward', key: 'f', do: (answer) => answer('forward') },
]

/** The open conversation, beside the list. */
interface Open {
  /** Opens the next one, or with -1 the one before. */
  readonly step: (by: number) => void
  readonly back: () => void
}

export const readingActions: readonly Action<Open>[] = [
  { name: 'Back to the list', icon: 'back', key: ['u', 'Esc'], do: ({ back }) => back() },
  { name: 'Print', icon: 'print', do: () => window.print() },
  { name: 'Newer conversation', short: 'Newer', icon: 'previous', key: 'k', do: ({ step }) => step(-1) },
  { name: 'Older conversation', short: 'Older', icon: 'next', key: 'j', do: ({ step }) => step(1) },
]

/** The list, with the keyboard in it. */
interface List {
  readonly step: (by: number) => void
  readonly open: () => void
  readonly select: () => void
  /** Also all between this one and the one selected before. */
  readonly selectUpTo: () => void
  readonly selectNone: () => void
  readonly again: () => void
}

export const listActions: readonly Action<List>[] = [
  { name: 'Next conversation', key: 'j', do: ({ step }) => step(1) },
  { name: 'Previous conversation', key: 'k', do: ({ step }) => step(-1) },
  { name: 'Open', key: 'o', do: ({ open }) => open() },
  { name: 'Select', key: 'x', do: ({ select }) => select() },
  { name: 'Select all in between', key: 'Shift X', do: ({ selectUpTo }) => selectUpTo() },
  { name: 'Select none', key: 'Esc', do: ({ selectNone }) => selectNone() },
  { name: 'Load again', key: 'u', do: ({ again }) => again() },
]
