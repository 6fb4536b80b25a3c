import type { Me } from '../api/generated.ts'
import { write } from '../pages/write/beginning/opening.ts'
import type { Action } from '../parts/actions/action.ts'
import { hasLastAction, runLastAction } from '../parts/state/toasts.ts'
import { signOut } from '../session/sign-out.ts'

/** What the frame of every page has buttons for. */
export const frameActions: readonly Action<{ readonly mayWrite: boolean }>[] = [
  {
    name: 'Write a message',
    short: 'Write',
    icon: 'write',
    key: 'c',
    when: ({ mayWrite }) => mayWrite,
    do: () => write({ what: 'new' }),
  },
  { name: 'Sign out', do: () => void signOut() },
]

type Shown = 'palette' | 'shortcuts'

interface Everywhere {
  readonly me: Me
  readonly shown: Shown | undefined
  readonly show: (what: Shown) => void
  readonly search: () => void
}

/** What can be done on every page by keys and in the palette alone. */
export const everywhereActions: readonly Action<Everywhere>[] = [
  {
    name: 'Go to a page, a folder or a label, or do something',
    key: 'Ctrl K',
    when: ({ shown }) => shown !== 'palette',
    do: ({ show }) => show('palette'),
  },
  {
    name: 'Search',
    key: '/',
    when: ({ me }) => me.mailboxes.some(({ kind }) => kind === 'smart'),
    do: ({ search }) => search(),
  },
  { name: 'Undo what was done last', key: 'z', when: hasLastAction, do: runLastAction },
  { name: 'Show the keys', key: '?', do: ({ show }) => show('shortcuts') },
]
