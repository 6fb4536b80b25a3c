import { useEffect, useRef } from 'react'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import styles from '../actions/filter-menu.module.css'

interface Props {
  readonly folder: string
  readonly button: Element
  readonly onChoose: (what: 'rename' | 'delete' | 'new') => void
  readonly onClose: () => void
}

/** What can be done with a folder. */
export function FolderMenu({ folder, button, onChoose, onClose }: Props) {
  const trigger = useRef(button)
  const menu = useRef<HTMLDivElement>(null)
  // React Aria takes Enter on a native button for the click of a screen reader, and leaves the focus on the menu.
  useEffect(() => afterPaint(() => menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()), [])
  // The focus has returned to the button before a dialog takes it, so that it returns there again.
  const choose = (what: 'rename' | 'delete' | 'new') => {
    onClose()
    afterPaint(() => onChoose(what))
  }
  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      aria-label={`Menu of ${folder}`}
      className={`${styles.popover}`}
      placement="bottom start"
    >
      <Menu ref={menu} aria-label={`Menu of ${folder}`} autoFocus="first" className={`${styles.menu}`}>
        <MenuItem className={`${styles.item}`} onAction={() => choose('rename')}>
          Rename
        </MenuItem>
        <MenuItem className={`${styles.item}`} onAction={() => choose('new')}>
          New folder within it
        </MenuItem>
        <MenuItem className={`${styles.item}`} onAction={() => choose('delete')}>
          Delete
        </MenuItem>
      </Menu>
    </Popover>
  )
}
