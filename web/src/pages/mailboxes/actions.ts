import type { Action } from '../../parts/actions/action.ts'

export const mailboxActions: readonly Action<() => void>[] = [
  { name: 'New mailbox', needs: 'mailboxes:write', do: (ask) => ask() },
]
