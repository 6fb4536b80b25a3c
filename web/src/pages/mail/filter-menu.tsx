import type { ReactNode } from 'react'
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import type { IconName } from '../../parts/icon.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import styles from './filter-menu.module.css'

export interface Choice {
  readonly id: string
  readonly name: string
  readonly shown: ReactNode
  /** Said beside it: "on", "on some". */
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
  /** What is offered where no choice has the typed name. */
  readonly typed?: { readonly value: string; readonly onChange: (value: string) => void }
}

/** A menu that narrows as one types. */
export function FilterMenu({ name, shortcut, icon, choices, isOpen, onOpen, onChoose, typed }: Props) {
  const { contains } = useFilter({ sensitivity: 'base' })
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={onOpen}>
      <IconButton name={name} shortcut={shortcut} icon={icon} />
      <Popover className={`${styles.popover}`} placement="bottom end" isNonModal>
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
                onOpen(false)
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
      </Popover>
    </DialogTrigger>
  )
}
