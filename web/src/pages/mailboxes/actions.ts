import type { PageAction } from '../../parts/actions/action.ts'

export const mailboxActions: readonly PageAction<() => void>[] = [
  { name: 'New mailbox', needs: 'mailboxes:write', do: (ask) => ask() },
]
