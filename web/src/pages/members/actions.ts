import type { PageAction } from '../../parts/actions/action.ts'

export const memberActions: readonly PageAction<() => void>[] = [
  { name: 'Add a member', needs: 'manage_members', do: (ask) => ask() },
]
