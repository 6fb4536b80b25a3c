import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Me } from '../api/generated.ts'
import { ComposerHost } from '../pages/write/composer-host.tsx'
import { useKeysHeldBack } from '../parts/actions/held-back.ts'
import { useActionKeys, useActions } from '../parts/actions/use-actions.ts'
import { lazily } from '../parts/state/loading-parts.ts'
import { Part } from '../parts/state/part.tsx'
import { Tips } from '../parts/state/tips.tsx'
import { ToastRegion } from '../parts/state/toast-region.tsx'
import { everywhereActions } from './actions.ts'

const Palette = lazily(() => import('./palette.tsx'))
const Shortcuts = lazily(() => import('./shortcuts.tsx'))

/** Keys that work on every page, and what they open. */
export function Everywhere({ me }: { me: Me }) {
  const [shown, show] = useState<'palette' | 'shortcuts'>()
  const navigate = useNavigate()
  const close = () => show(undefined)
  useActions(everywhereActions, { me, shown, show, search: () => void navigate({ to: '/search' }) })
  useActionKeys()
  useKeysHeldBack(shown !== undefined)
  return (
    <>
      {shown === 'palette' && (
        <Part name="The command palette" onFailed={close}>
          <Palette me={me} onClose={close} />
        </Part>
      )}
      {shown === 'shortcuts' && (
        <Part name="The list of shortcuts" onFailed={close}>
          <Shortcuts onClose={close} />
        </Part>
      )}
      <ComposerHost me={me} />
      <Tips />
      <ToastRegion />
    </>
  )
}
