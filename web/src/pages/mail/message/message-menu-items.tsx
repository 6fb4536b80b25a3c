import { useNavigate } from '@tanstack/react-router'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { getDownloadMessageUrl, type ThreadMessage } from '../../../api/generated.ts'
import { useMay } from '../../../session/may.ts'
import { write } from '../../write/beginning/opening.ts'
import { useMayWrite } from '../../write/sending/use-may-write.ts'
import styles from '../actions/filter-menu.module.css'
import { perform } from '../actions/perform.ts'
import { useLevel, useMayChange } from '../actions/use-may-change.ts'
import type { Place } from '../place.ts'

const answers = [
  ['reply', 'Reply to this message'],
  ['reply_all', 'Reply to all of this message'],
  ['forward', 'Forward this message'],
] as const

interface Props {
  readonly place: Place
  readonly message: ThreadMessage
  readonly onClose: () => void
}

export function MessageMenuItems({ place, message: { id, from, unread }, onClose }: Props) {
  const navigate = useNavigate()
  const mayWrite = useMayWrite()
  const mayFilter = useMay('filters:write')
  const mayTry = useMay('filters:read')
  const isOwn = useLevel(place.mailbox) === 'own'
  const mayChange = useMayChange(place.mailbox)
  const isStranger = from.address !== '' && from.address.toLowerCase() !== place.mailbox.toLowerCase()
  return (
    <Menu aria-label="More" autoFocus="first" onClose={onClose} className={`${styles.menu}`}>
      {mayWrite &&
        answers.map(([what, name]) => (
          <MenuItem key={what} className={`${styles.item}`} onAction={() => write({ what, place, id })}>
            {name}
          </MenuItem>
        ))}
      {mayFilter && from.address !== '' && (
        <MenuItem
          className={`${styles.item}`}
          onAction={() => void navigate({ to: '/filters', search: { from: from.address } })}
        >
          Make a filter from this message
        </MenuItem>
      )}
      {isOwn && from.address !== '' && (
        <MenuItem
          className={`${styles.item}`}
          onAction={() => void navigate({ to: '/filters', search: { from: from.address, own: true } })}
        >
          Make a filter of your own from it
        </MenuItem>
      )}
      {mayFilter && isStranger && (
        <MenuItem
          className={`${styles.item}`}
          onAction={() => void navigate({ to: '/blocked-senders', search: { sender: from.address } })}
        >
          Block this sender
        </MenuItem>
      )}
      {isOwn && isStranger && (
        <MenuItem
          className={`${styles.item}`}
          onAction={() => void navigate({ to: '/blocked-senders', search: { sender: from.address, own: true } })}
        >
          Block this sender for yourself
        </MenuItem>
      )}
      {mayTry && (
        <MenuItem
          className={`${styles.item}`}
          onAction={() => void navigate({ to: '/filters', search: { tried: id } })}
        >
          Try the filters on this message
        </MenuItem>
      )}
      {mayChange && !unread && (
        <MenuItem
          className={`${styles.item}`}
          onAction={() => void perform(place, { ids: [id], change: { unread: true } }, 'Message marked as unread')}
        >
          Mark this message as unread
        </MenuItem>
      )}
      <MenuItem className={`${styles.item}`} href={getDownloadMessageUrl(id)} download>
        Download the message
      </MenuItem>
    </Menu>
  )
}
