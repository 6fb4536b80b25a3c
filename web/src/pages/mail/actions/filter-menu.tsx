import { useRef } from 'react'
import type { Ready } from '../../../parts/actions/action.ts'
import { ActionButton } from '../../../parts/actions/action-button.tsx'
import { useKeysHeldBack } from '../../../parts/actions/held-back.ts'
import { lazily } from '../../../parts/state/loading-parts.ts'
import { Part } from '../../../parts/state/part.tsx'
import type { Choices } from './choices.ts'

const FilterChoices = lazily(() => import('./filter-choices.tsx'))

interface Props extends Choices {
  readonly action: Ready
  readonly isOpen: boolean
  readonly onOpen: (open: boolean) => void
}

/** A menu that narrows as one types. Only its button is loaded and rendered until it is opened. */
export function FilterMenu({ action, isOpen, onOpen, ...menu }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  useKeysHeldBack(isOpen)
  return (
    <>
      <ActionButton
        ref={button}
        action={{ ...action, do: () => onOpen(!isOpen) }}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
      />
      {isOpen && (
        <Part name="The menu" onFailed={() => onOpen(false)}>
          <FilterChoices {...menu} button={button} onOpen={onOpen} />
        </Part>
      )}
    </>
  )
}
