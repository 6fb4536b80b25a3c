import type { PageAction } from '../../parts/actions/action.ts'

export const webhookActions: readonly PageAction<() => void>[] = [
  { name: 'New webhook', needs: 'webhooks:write', do: (ask) => ask() },
]
