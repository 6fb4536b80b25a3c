import { type ReactNode, useRef } from 'react'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import type { IconName } from '../../../parts/icon.tsx'
import { useKeysHeldBack } from '../../../parts/keyboard/held-back.ts'
import { lazily } from '../../../parts/state/loading-parts.ts'
import { Part } from '../../../parts/state/part.tsx'

const FilterChoices = lazily(() => import('./filter-choices.tsx'))

interface Choice {
  readonly id: string
  readonly name: string
  readonly shown: ReactNode
  /** Shown beside it: "on", "on some". */
  readonly note?: string | undefined
}

export interface Choices {
  readonly name: string
  readonly choices: readonly Choice[]
  readonly onChoose: (id: string) => void
  /** Offered if no choice has the typed name. */
  readonly typed?: { readonly value: string; readonly onChange: (value: string) => void }
}

interface Props extends Choices {
  readonly shortcut: string
  readonly icon: IconName
  readonly isOpen: boolean
  readonly onOpen: (open: boolean) => void
}

/** A menu that narrows as one types. Only its button is loaded and rendered until it is opened. */
export function FilterMenu({ shortcut, icon, isOpen, onOpen, ...menu }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  useKeysHeldBack(isOpen)
  return (
    <>
      <IconButton
        ref={button}
        name={menu.name}
        shortcut={shortcut}
        icon={icon}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => onOpen(!isOpen)}
      />
      {isOpen && (
        <Part name="The menu" onFailed={() => onOpen(false)}>
          <FilterChoices {...menu} button={button} onOpen={onOpen} />
        </Part>
      )}
    </>
  )
}
