import type { PageAction } from '../../parts/actions/action.ts'

export const labelActions: readonly PageAction<(own: boolean) => void>[] = [
  { name: 'New label', needs: 'labels:write', do: (create) => create(false) },
  { name: 'New own label', own: true, needs: 'labels:read', do: (create) => create(true) },
]
