import type { ReactNode } from 'react'
import styles from './heard.module.css'

/** What is said to those who hear the page, and not shown. */
export function Heard({ children }: { children: ReactNode }) {
  return <span className={styles.heard}>{children}</span>
}
