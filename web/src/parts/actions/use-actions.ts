import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { may } from '../../session/may.ts'
import { meQuery } from '../../session/me.ts'
import { type Action, keyOf, type Ready, readyOf } from './action.ts'
import { doByKey, offer, wantedOf } from './offered.ts'

/** Offers actions to keys and the palette while the component is on the page, and answers those that can be done now, for its
 *  toolbars and menus. `it` is what they are done with; without, none is offered. */
export function useActions<T>(actions: readonly Action<T>[], it: T | undefined): Ready[] {
  const me = useQuery(meQuery).data
  const permitted = actions.filter(({ needs }) => needs === undefined || (me !== undefined && may(me, needs)))
  const ready = it === undefined ? [] : readyOf(permitted, it)
  // Whoever asks what an action is done with gives its own kind of it.
  const offered = it === undefined ? undefined : { actions: permitted as readonly Action<unknown>[], it }
  const latest = useRef<typeof offered>(undefined)
  latest.current = offered
  useEffect(() => wantedOf(ready)?.do())
  useEffect(() => offer(latest), [])
  return ready
}

/** Where keys are typed, or choose something. */
const elsewhere =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Does the actions on the page by their keys, wherever the focus is: with Control also in fields, menus and dialogs. */
export function useActionKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const key = keyOf(event)
      if (key === undefined || (event.defaultPrevented && !key.startsWith('Ctrl'))) return
      if (!key.startsWith('Ctrl') && event.target instanceof Element && event.target.closest(elsewhere)) return
      if (doByKey(key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
