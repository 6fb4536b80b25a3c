import { type ReactNode, useEffect } from 'react'
import styles from './page.module.css'

export interface PageProps {
  readonly title: string
  readonly about?: ReactNode
  /** Buttons for the page's actions. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of the organization: its heading, which is also the title of the tab, and its contents. */
export function Page({ title, about, actions, children }: PageProps) {
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
