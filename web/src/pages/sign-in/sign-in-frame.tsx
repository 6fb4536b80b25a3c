import { type ReactNode, useEffect } from 'react'
import icon from '../../style/icon.svg'
import styles from './sign-in.module.css'

/** A page without the frame of the app. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = title.includes('Mailroom') ? title : `${title} · Mailroom`
  }, [title])
  return (
    <main className={styles.frame}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <img src={icon} alt="" />
          <h1>{title}</h1>
        </div>
        {children}
      </div>
    </main>
  )
}
