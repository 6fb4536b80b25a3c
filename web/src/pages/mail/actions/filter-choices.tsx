import type { RefObject } from 'react'
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import styles from '../../../parts/form/menu.module.css'
import type { Choices } from './choices.ts'

interface Props extends Choices {
  readonly button: RefObject<HTMLButtonElement | null>
  readonly onOpen: (open: boolean) => void
}

/** What a menu that narrows as one types opens. */
export default function FilterChoices({ name, choices, onChoose, typed, button, onOpen }: Props) {
  const { contains } = useFilter({ sensitivity: 'base' })
  return (
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
  )
}
