import type { PageAction } from '../../parts/actions/action.ts'

export const keyActions: readonly PageAction<() => void>[] = [
  { name: 'New API key', needs: 'manage_api_keys', do: (ask) => ask() },
]
