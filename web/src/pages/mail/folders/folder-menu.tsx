import { useEffect, useRef } from 'react'
import { Menu } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { readyOf } from '../../../parts/actions/action.ts'
import { ActionItem } from '../../../parts/actions/action-item.tsx'
import styles from '../../../parts/form/menu.module.css'
import { afterPaint } from '../../../parts/state/after-paint.ts'
import { folderActions } from './actions.ts'
import type { Asked } from './asked.ts'

interface Props {
  readonly folder: string
  readonly button: Element
  readonly onChoose: (asked: Asked) => void
  readonly onClose: () => void
}

/** What can be done with a folder. */
export function FolderMenu({ folder, button, onChoose, onClose }: Props) {
  const trigger = useRef(button)
  const menu = useRef<HTMLDivElement>(null)
  // React Aria takes Enter on a native button for the click of a screen reader, and leaves the focus on the menu.
  useEffect(() => afterPaint(() => menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()), [])
  // The focus has returned to the button before a dialog takes it, so that it returns there again.
  const choose = (asked: Asked) => {
    onClose()
    afterPaint(() => onChoose(asked))
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
        {readyOf(folderActions(folder), choose).map((action) => (
          <ActionItem key={action.name} action={action} />
        ))}
      </Menu>
    </Popover>
  )
}
