import { useNavigate } from '@tanstack/react-router'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { getDownloadMessageUrl, type ThreadMessage } from '../../../api/generated.ts'
import { readyOf } from '../../../parts/actions/action.ts'
import { ActionItem } from '../../../parts/actions/action-item.tsx'
import styles from '../../../parts/form/menu.module.css'
import { useMay } from '../../../session/may.ts'
import { useMayWrite } from '../../write/sending/use-may-write.ts'
import { useLevel, useMayChange } from '../actions/use-may-change.ts'
import type { Place } from '../place.ts'
import { messageActions } from './actions.ts'

interface Props {
  readonly place: Place
  readonly message: ThreadMessage
  readonly onClose: () => void
}

export function MessageMenuItems({ place, message, onClose }: Props) {
  const actions = readyOf(messageActions, {
    place,
    message,
    navigate: useNavigate(),
    mayWrite: useMayWrite(),
    mayFilter: useMay('filters:write'),
    mayTry: useMay('filters:read'),
    isOwn: useLevel(place.mailbox) === 'own',
    mayChange: useMayChange(place.mailbox),
  })
  return (
    <Menu aria-label="More" autoFocus="first" onClose={onClose} className={`${styles.menu}`}>
      {actions.map((action) => (
        <ActionItem key={action.name} action={action} />
      ))}
      <MenuItem className={`${styles.item}`} href={getDownloadMessageUrl(message.id)} download>
        Download the message
      </MenuItem>
    </Menu>
  )
}
