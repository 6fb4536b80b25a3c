import type { ReactNode } from 'react'
import styles from './states.module.css'

/** Shown instead of an empty list: what it is for, and how to begin. */
export function Empty({ title, about, children }: { title: string; about: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.state}>
      <h2>{title}</h2>
      <p className={styles.about}>{about}</p>
      {children}
    </div>
  )
}
