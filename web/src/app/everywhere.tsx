import { useNavigate } from '@tanstack/react-router'
import { lazy, useEffect, useState } from 'react'
import type { Me } from '../api/generated.ts'
import { ComposerHost } from '../pages/write/composer-host.tsx'
import { useKeys } from '../parts/keys.ts'
import { Part } from '../parts/part.tsx'
import { Tips } from '../parts/tips.tsx'
import { ToastRegion } from '../parts/toast-region.tsx'
import { runLastAction } from '../parts/toasts.ts'

const Palette = lazy(() => import('./palette.tsx'))
const Shortcuts = lazy(() => import('./shortcuts.tsx'))

/** Keys that work on every page, and what they show. */
export function Everywhere({ me }: { me: Me }) {
  const [shown, show] = useState<'palette' | 'shortcuts'>()
  const navigate = useNavigate()
  const close = () => show(undefined)
  useKeys({ '?': () => show('shortcuts'), '/': () => void navigate({ to: '/search' }), z: runLastAction })
  useEffect(() => {
    if (shown === undefined) return
    // What is typed before the dialog is there is meant for it, not for the page.
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof Element && !event.target.closest('[role=dialog]')) event.stopPropagation()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [shown])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      show('palette')
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      {shown === 'palette' && (
        <Part name="The command palette">
          <Palette me={me} onClose={close} />
        </Part>
      )}
      {shown === 'shortcuts' && (
        <Part name="The list of shortcuts">
          <Shortcuts onClose={close} />
        </Part>
      )}
      <ComposerHost me={me} />
      <Tips />
      <ToastRegion />
    </>
  )
}
