import type { ReactNode } from 'react'
import styles from './heard.module.css'

/** Text for screen readers only. */
export function Heard({ children }: { children: ReactNode }) {
  return <span className={styles.heard}>{children}</span>
}
