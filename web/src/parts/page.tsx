import { type ReactNode, useEffect, useId } from 'react'
import styles from './page.module.css'

interface Props {
  readonly title: string
  readonly about?: ReactNode
  /** Buttons for what can be done here. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of the organization: its heading, which names the browser's tab too, and what is on it. */
export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Mailroom`
  }, [title])
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <h1>{title}</h1>
          {about !== undefined && <p className={styles.about}>{about}</p>}
        </div>
        {actions}
      </div>
      {children}
    </div>
  )
}

/** A part of a page, with a heading of its own. */
export function Section({ title, about, actions, children }: Props) {
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

export function Card({ children }: { children: ReactNode }) {
  return <div className={styles.card}>{children}</div>
}
