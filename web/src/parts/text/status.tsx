import type { ReactNode } from 'react'
import styles from './chip.module.css'

export function Status({ is, children }: { is: 'good' | 'warn' | 'bad' | 'plain'; children: ReactNode }) {
  return <span className={is === 'plain' ? styles.chip : `${styles.chip} ${styles[is]}`}>{children}</span>
}
