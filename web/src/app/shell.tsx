import { Link, useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Me } from '../api/generated.ts'
import { useMayWrite } from '../pages/write/sending/use-may-write.ts'
import { ActionButtons } from '../parts/actions/action-buttons.tsx'
import { useActions } from '../parts/actions/use-actions.ts'
import { Button } from '../parts/form/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { may } from '../session/may.ts'
import icon from '../style/icon.svg'
import { frameActions } from './actions.ts'
import { useIsLost } from './connection.ts'
import { Everywhere } from './everywhere.tsx'
import { useLive } from './live.ts'
import { MailNavigation } from './mail-navigation.tsx'
import { pages } from './navigation.ts'
import { Permitted } from './permitted.tsx'
import styles from './shell.module.css'
import { WaitingCount } from './waiting-count.tsx'

/** The frame of every page in a session. */
export function Shell({ me, signedOut }: { me: Me; signedOut: boolean }) {
  useLive()
  const actions = useActions(frameActions, { mayWrite: useMayWrite() })
  const [open, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <header className={styles.bar}>
        <span className={styles.brand}>
          <img src={icon} alt="" />
          {me.organization.name}
        </span>
        <span className={styles.tools}>
          <ActionButtons actions={actions} only={['Write a message']} />
          <Button look="quiet" aria-expanded={open} onPress={() => setOpen(!open)}>
            Menu
          </Button>
        </span>
      </header>
      <nav className={styles.side} data-open={open || undefined} aria-label="Pages">
        <span className={styles.brand}>
          <img src={icon} alt="" />
          Mailroom
        </span>
        <ActionButtons actions={actions} only={['Write a message']} look="primary" />
        <MailNavigation mailboxes={me.mailboxes} />
        <div>
          <p className={styles.group}>{me.organization.name}</p>
          <ul>
            {pages
              .filter(({ needs }) => may(me, needs))
              .map(({ to, title, icon: picture }) => (
                <li key={to}>
                  <Link to={to} className={`${styles.link}`} activeOptions={{ exact: to === '/' }}>
                    <Icon name={picture} />
                    <span className={styles.name}>{title}</span>
                    {to === '/approvals' && may(me, 'sending:approve') && <WaitingCount />}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
        <div className={styles.who}>
          <Link to="/profile" className={`${styles.link}`}>
            <Icon name="person" />
            <strong className={styles.name}>{me.name || me.email}</strong>
          </Link>
          <small>
            {me.name && `${me.email} · `}
            {me.role}
          </small>
          <div>
            <ActionButtons actions={actions} only={['Sign out']} look="quiet" />
          </div>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {signedOut ? <SignedOut /> : <Lost />}
        <Permitted me={me} />
      </main>
      <Everywhere me={me} />
      <OnPageChange main={main} closeMenu={() => setOpen(false)} />
    </div>
  )
}

interface OnPageChangeProps {
  readonly main: RefObject<HTMLElement | null>
  readonly closeMenu: () => void
}

/** Closes the menu and moves the focus to an opened page. A component of its own, since whatever reads the address is
 *  rendered for each opened conversation. */
function OnPageChange({ main, closeMenu }: OnPageChangeProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    const isWithinMail = [path, shown.current].every((one) => one.startsWith('/mail/'))
    shown.current = path
    closeMenu()
    // Mail focuses what it shows.
    if (isWithinMail) return
    // The keyboard continues from the new page, and a screen reader reads it.
    main.current?.focus()
  }, [path, main, closeMenu])
  return null
}

/** Says that the connection is lost. What was loaded stays. */
function Lost() {
  const isLost = useIsLost()
  return (
    <p role="status" className={isLost ? styles.notice : undefined}>
      {isLost && 'The service cannot be reached: what is shown may be out of date. It is tried again.'}
    </p>
  )
}

/** Opens another tab, so that nothing here is lost. This tab notices when it is visible again. */
function SignedOut() {
  return (
    <p role="alert" className={styles.notice}>
      Your session has ended.{' '}
      <a href="/sign-in" target="_blank" rel="noreferrer">
        Sign in again
      </a>{' '}
      in another tab, then come back: nothing here is lost.
    </p>
  )
}
