import type { PageAction } from '../../parts/actions/action.ts'

export const blockActions: readonly PageAction<(own: boolean) => void>[] = [
  { name: 'Block senders', needs: 'filters:write', do: (block) => block(false) },
  { name: 'Block for yourself', own: true, needs: 'filters:read', do: (block) => block(true) },
]
