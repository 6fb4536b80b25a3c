import type { PageAction } from '../../parts/actions/action.ts'

export const filterActions: readonly PageAction<(own: boolean) => void>[] = [
  { name: 'New filter', needs: 'filters:write', do: (create) => create(false) },
  { name: 'New own filter', own: true, needs: 'filters:read', do: (create) => create(true) },
]

export const trialActions: readonly PageAction<() => void>[] = [
  { name: 'Try filters on a message', short: 'Try on a message', needs: 'filters:read', do: (ask) => ask() },
]
