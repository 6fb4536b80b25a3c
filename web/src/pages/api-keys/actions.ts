import type { Action } from '../../parts/actions/action.ts'

export const keyActions: readonly Action<() => void>[] = [
  { name: 'New API key', needs: 'manage_api_keys', do: (ask) => ask() },
]
