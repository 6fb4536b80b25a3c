import { type ReactNode, useRef } from 'react'
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import type { IconName } from '../../../parts/icon.tsx'
import styles from './filter-menu.module.css'

export interface Choice {
  readonly id: string
  readonly name: string
  readonly shown: ReactNode
  /** Shown beside it: "on", "on some". */
  readonly note?: string | undefined
}

interface Props {
  readonly name: string
  readonly shortcut: string
  readonly icon: IconName
  readonly choices: readonly Choice[]
  readonly isOpen: boolean
  readonly onOpen: (open: boolean) => void
  readonly onChoose: (id: string) => void
  /** Offered if no choice has the typed name. */
  readonly typed?: { readonly value: string; readonly onChange: (value: string) => void }
}

/** A menu that narrows as one types. Only its button is rendered until it is opened. */
export function FilterMenu({ shortcut, icon, isOpen, onOpen, ...menu }: Props) {
  const button = useRef<HTMLButtonElement>(null)
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
        <Popover
          triggerRef={button}
          isOpen
          onOpenChange={onOpen}
          // The button closes it itself.
          shouldCloseOnInteractOutside={(element) => !button.current?.contains(element)}
          className={`${styles.popover}`}
          placement="bottom end"
          isNonModal
        >
          <Choices {...menu} onClose={() => onOpen(false)} />
        </Popover>
      )}
    </>
  )
}

type ChoicesProps = Pick<Props, 'name' | 'choices' | 'onChoose' | 'typed'> & { readonly onClose: () => void }

function Choices({ name, choices, onChoose, typed, onClose }: ChoicesProps) {
  const { contains } = useFilter({ sensitivity: 'base' })
  return (
    <Dialog aria-label={name} className={`${styles.dialog}`}>
      <Autocomplete filter={contains} {...(typed && { inputValue: typed.value, onInputChange: typed.onChange })}>
        <SearchField aria-label={name} autoFocus className={`${styles.field}`}>
          <Input className={`${styles.input}`} placeholder={`${name}…`} />
        </SearchField>
        <Menu
          aria-label={name}
          className={`${styles.menu}`}
          items={choices}
          renderEmptyState={() => <p className={styles.none}>Nothing has that name.</p>}
          onAction={(key) => {
            onClose()
            onChoose(String(key))
          }}
        >
          {(choice) => (
            <MenuItem id={choice.id} textValue={choice.name} className={`${styles.item}`}>
              {choice.shown}
              {choice.note !== undefined && <span className={styles.note}>{choice.note}</span>}
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </Dialog>
  )
}
