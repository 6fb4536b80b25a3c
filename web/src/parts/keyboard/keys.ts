import { useEffect, useRef } from 'react'

/** The action of a key. `Shift+U` and `#` are names of keys. */
export type Keys = Readonly<Record<string, () => void>>

const elsewhere =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Listens to keys wherever the focus is, except in fields, menus and dialogs. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest(elsewhere)) return
      const run = latest.current[event.shiftKey && /^[A-Z]$/.test(event.key) ? `Shift+${event.key}` : event.key]
      if (!run) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
