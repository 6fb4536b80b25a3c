import type { Action } from '../../parts/actions/action.ts'

export const domainActions: readonly Action<() => void>[] = [
  { name: 'Add a domain', needs: 'domains:write', do: (ask) => ask() },
]
