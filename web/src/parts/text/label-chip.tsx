import type { CSSProperties } from 'react'
import { VisuallyHidden } from '../state/visually-hidden.tsx'
import styles from './chip.module.css'

/** The colours that the API names. */
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

interface LabelLike {
  readonly name: string
  readonly colour: string
  /** A member's own label has another shape than the organization's. */
  readonly own?: boolean
}

export function LabelChip({ name, colour, own = false }: LabelLike) {
  const hue = colour in namedColours ? namedColours[colour as NamedColour] : colour
  return (
    <span className={own ? `${styles.chip} ${styles.own}` : styles.chip} style={{ '--hue': hue } as CSSProperties}>
      {name}
      {own && <VisuallyHidden> (your own)</VisuallyHidden>}
    </span>
  )
}
