import type { Action } from '../../parts/actions/action.ts'

/** The open message. */
interface OpenMessage {
  readonly isRich: boolean
  readonly mayApprove: boolean
  readonly send: () => void
  readonly sendLater: () => void
  readonly askApproval: () => void
  readonly format: () => void
  readonly discard: () => void
  readonly close: () => void
}

export const sendingActions: readonly Action<OpenMessage>[] = [
  { name: 'Send', key: 'Ctrl Enter', do: ({ send }) => send() },
  { name: 'Send later', do: ({ sendLater }) => sendLater() },
  { name: 'Ask for approval', when: ({ mayApprove }) => !mayApprove, do: ({ askApproval }) => askApproval() },
]

export const writingActions: readonly Action<OpenMessage>[] = [
  {
    name: 'Write as plain text',
    icon: 'format',
    when: ({ isRich }) => isRich,
    on: () => true,
    do: ({ format }) => format(),
  },
  { name: 'Write with formatting', icon: 'format', when: ({ isRich }) => !isRich, do: ({ format }) => format() },
  { name: 'Discard', icon: 'delete', do: ({ discard }) => discard() },
]

export const closingActions: readonly Action<Pick<OpenMessage, 'close'>>[] = [
  {
    name: 'Close, and keep it among the drafts',
    short: 'Close',
    icon: 'close',
    key: 'Esc',
    do: ({ close }) => close(),
  },
]
