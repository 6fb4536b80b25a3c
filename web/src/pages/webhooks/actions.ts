import type { Action } from '../../parts/actions/action.ts'

export const webhookActions: readonly Action<() => void>[] = [
  { name: 'New webhook', needs: 'webhooks:write', do: (ask) => ask() },
]
