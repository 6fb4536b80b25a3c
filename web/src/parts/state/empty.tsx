import type { ReactNode } from 'react'
import styles from './states.module.css'

/** Nothing is there yet: what it would be good for, and how to begin. */
export function Empty({ title, about, children }: { title: string; about: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.state}>
      <h2>{title}</h2>
      <p className={styles.about}>{about}</p>
      {children}
    </div>
  )
}
