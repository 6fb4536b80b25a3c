import type { Action } from '../../parts/actions/action.ts'

export const searchActions: readonly Action<(by: number) => void>[] = [
  { name: 'Next result', key: 'j', do: (step) => step(1) },
  { name: 'Previous result', key: 'k', do: (step) => step(-1) },
]
