import type { Action } from '../../parts/actions/action.ts'

export const memberActions: readonly Action<() => void>[] = [
  { name: 'Add a member', needs: 'manage_members', do: (ask) => ask() },
]
