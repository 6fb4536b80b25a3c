import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Me } from '../api/generated.ts'
import { write } from '../pages/write/beginning/opening.ts'
import { ComposerHost } from '../pages/write/composer-host.tsx'
import { useMayWrite } from '../pages/write/sending/use-may-write.ts'
import { useCommands } from '../parts/keyboard/commands.ts'
import { useKeysHeldBack } from '../parts/keyboard/held-back.ts'
import { useKeys } from '../parts/keyboard/keys.ts'
import { lazily } from '../parts/state/loading-parts.ts'
import { Part } from '../parts/state/part.tsx'
import { Tips } from '../parts/state/tips.tsx'
import { ToastRegion } from '../parts/state/toast-region.tsx'
import { hasLastAction, runLastAction } from '../parts/state/toasts.ts'
import { signOut } from '../session/sign-out.ts'

const Palette = lazily(() => import('./palette.tsx'))
const Shortcuts = lazily(() => import('./shortcuts.tsx'))

/** Keys that work on every page, and what they open. */
export function Everywhere({ me }: { me: Me }) {
  const [shown, show] = useState<'palette' | 'shortcuts'>()
  const navigate = useNavigate()
  const close = () => show(undefined)
  useKeys({ '?': () => show('shortcuts'), '/': () => void navigate({ to: '/search' }), z: runLastAction })
  useCommands([
    ...(useMayWrite() ? [{ name: 'Write a message', shortcut: 'c', run: () => write({ what: 'new' }) }] : []),
    ...(hasLastAction() ? [{ name: 'Undo what was done last', shortcut: 'z', run: runLastAction }] : []),
    { name: 'Show the keys', shortcut: '?', run: () => show('shortcuts') },
    { name: 'Sign out', run: () => void signOut() },
  ])
  useKeysHeldBack(shown !== undefined)
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
