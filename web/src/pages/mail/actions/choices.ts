import type { ReactNode } from 'react'

interface Choice {
  readonly id: string
  readonly name: string
  readonly shown: ReactNode
  /** Shown beside it: "on", "on some". */
  readonly note?: string | undefined
}

export interface Choices {
  readonly name: string
  readonly choices: readonly Choice[]
  readonly onChoose: (id: string) => void
  /** Offered if no choice has the typed name. */
  readonly typed?: { readonly value: string; readonly onChange: (value: string) => void }
}
