import { useId } from 'react'
import styles from './page.module.css'
import type { PageProps } from './page.tsx'

/** A part of a page, with a heading of its own. */
export function Section({ title, about, actions, children }: PageProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div className={styles.head}>
        <div>
          <h2 id={id}>{title}</h2>
          {about !== undefined && <p className={styles.about}>{about}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  )
}
