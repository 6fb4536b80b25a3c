import type { Action } from '../../parts/actions/action.ts'

export const filterActions: readonly Action<(own: boolean) => void>[] = [
  { name: 'New filter', needs: 'filters:write', do: (create) => create(false) },
  { name: 'New own filter', own: true, needs: 'filters:read', do: (create) => create(true) },
]

export const trialActions: readonly Action<() => void>[] = [
  { name: 'Try filters on a message', short: 'Try on a message', needs: 'filters:read', do: (ask) => ask() },
]
