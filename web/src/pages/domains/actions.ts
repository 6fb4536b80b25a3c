import type { PageAction } from '../../parts/actions/action.ts'

export const domainActions: readonly PageAction<() => void>[] = [
  { name: 'Add a domain', needs: 'domains:write', do: (ask) => ask() },
]
