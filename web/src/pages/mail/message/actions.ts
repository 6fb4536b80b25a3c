import type { useNavigate } from '@tanstack/react-router'
import type { ThreadMessage } from '../../../api/generated.ts'
import type { Action } from '../../../parts/actions/action.ts'
import { write } from '../../write/beginning/opening.ts'
import { perform } from '../actions/perform.ts'
import type { Place } from '../place.ts'

interface OneMessage {
  readonly place: Place
  readonly message: ThreadMessage
  readonly navigate: ReturnType<typeof useNavigate>
  readonly mayWrite: boolean
  readonly mayFilter: boolean
  readonly mayTry: boolean
  readonly mayChange: boolean
  /** Whether the mailbox is the member's own. */
  readonly isOwn: boolean
}

const hasSender = ({ message: { from } }: OneMessage) => from.address !== ''

const isOfStranger = ({ place, message: { from } }: OneMessage) =>
  from.address !== '' && from.address.toLowerCase() !== place.mailbox.toLowerCase()

const answer =
  (what: 'reply' | 'reply_all' | 'forward') =>
  ({ place, message: { id } }: OneMessage) =>
    write({ what, place, id })

/** What can be done with one message of a conversation. */
export const messageActions: readonly Action<OneMessage>[] = [
  { name: 'Reply to this message', when: ({ mayWrite }) => mayWrite, do: answer('reply') },
  { name: 'Reply to all of this message', when: ({ mayWrite }) => mayWrite, do: answer('reply_all') },
  { name: 'Forward this message', when: ({ mayWrite }) => mayWrite, do: answer('forward') },
  {
    name: 'Make a filter from this message',
    when: (one) => one.mayFilter && hasSender(one),
    do: ({ navigate, message: { from } }) => void navigate({ to: '/filters', search: { from: from.address } }),
  },
  {
    name: 'Make a filter of your own from it',
    when: (one) => one.isOwn && hasSender(one),
    do: ({ navigate, message: { from } }) =>
      void navigate({ to: '/filters', search: { from: from.address, own: true } }),
  },
  {
    name: 'Block this sender',
    when: (one) => one.mayFilter && isOfStranger(one),
    do: ({ navigate, message: { from } }) =>
      void navigate({ to: '/blocked-senders', search: { sender: from.address } }),
  },
  {
    name: 'Block this sender for yourself',
    when: (one) => one.isOwn && isOfStranger(one),
    do: ({ navigate, message: { from } }) =>
      void navigate({ to: '/blocked-senders', search: { sender: from.address, own: true } }),
  },
  {
    name: 'Try the filters on this message',
    when: ({ mayTry }) => mayTry,
    do: ({ navigate, message: { id } }) => void navigate({ to: '/filters', search: { tried: id } }),
  },
  {
    name: 'Mark this message as unread',
    when: ({ mayChange, message: { unread } }) => mayChange && !unread,
    do: ({ place, message: { id } }) =>
      void perform(place, { ids: [id], change: { unread: true } }, 'Message marked as unread'),
  },
]
