import { useRef, useState } from 'react'
import { Popover } from 'react-aria-components/Popover'
import type { ThreadMessage } from '../../../api/generated.ts'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import styles from '../../../parts/form/menu.module.css'
import type { Place } from '../place.ts'
import { MessageMenuItems } from './message-menu-items.tsx'

interface Props {
  readonly place: Place
  readonly message: ThreadMessage
}

/** Further actions on one message. Only the button is rendered until it is opened. */
export function MessageMenu(props: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, open] = useState(false)
  return (
    <>
      <IconButton
        ref={button}
        name="More"
        icon="more"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={() => open(!isOpen)}
      />
      {isOpen && (
        <Popover
          triggerRef={button}
          isOpen
          onOpenChange={open}
          aria-label="More"
          className={`${styles.popover}`}
          placement="bottom end"
        >
          <MessageMenuItems {...props} onClose={() => open(false)} />
        </Popover>
      )}
    </>
  )
}
