import { useEffect } from 'react'

/** Keeps keys from the page while a dialog is opened: text that is typed before it is there is meant for it. */
export function useKeysHeldBack(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof Element && !event.target.closest('[role=dialog]')) event.stopPropagation()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [isOpen])
}
