import type { CSSProperties, ReactNode } from 'react'
import styles from './chip.module.css'

/** The colours that have names, as the API gives them. */
export const namedColours = {
  slate: '#64748b',
  red: '#dc2626',
  amber: '#d97706',
  green: '#16a34a',
  blue: '#2563eb',
  violet: '#7c3aed',
  pink: '#db2777',
} as const

export type NamedColour = keyof typeof namedColours

export function LabelChip({ name, colour }: { name: string; colour: string }) {
  const hue = colour in namedColours ? namedColours[colour as NamedColour] : colour
  return (
    <span className={styles.chip} style={{ '--hue': hue } as CSSProperties}>
      {name}
    </span>
  )
}

export function Status({ is, children }: { is: 'good' | 'warn' | 'bad' | 'plain'; children: ReactNode }) {
  return <span className={is === 'plain' ? styles.chip : `${styles.chip} ${styles[is]}`}>{children}</span>
}
