import type { Action } from '../../parts/actions/action.ts'

export const blockActions: readonly Action<(own: boolean) => void>[] = [
  { name: 'Block senders', needs: 'filters:write', do: (block) => block(false) },
  { name: 'Block for yourself', own: true, needs: 'filters:read', do: (block) => block(true) },
]
