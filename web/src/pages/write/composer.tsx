import { useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Me } from '../../api/generated.ts'
import { readyOf } from '../../parts/actions/action.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { IconButton } from '../../parts/form/icon-button.tsx'
import { sayFailure } from '../../parts/state/toasts.ts'
import { closingActions } from './actions.ts'
import { begin } from './beginning/begin.ts'
import type { Beginning } from './beginning/opening.ts'
import styles from './composer.module.css'
import { Form } from './form.tsx'
import { close, current, openInComposer, show, useOpenMessage } from './open-message.ts'
import { draftOf } from './saving/save.ts'

/** The composer: a panel beside the page, on a phone a page of its own. */
export default function Composer({ me, asked }: { me: Me; asked: Beginning }) {
  const openMessage = useOpenMessage()
  const { mailbox } = useParams({ strict: false })
  const panel = useRef<HTMLElement>(null)
  const [returnTo, setReturnTo] = useState<Element | null>(null)
  const latest = useRef({ me, mailbox })
  latest.current = { me, mailbox }
  useEffect(() => {
    const open = current()
    if (asked.what === 'draft' && open && draftOf(open)?.message === asked.id) {
      show({ isSmall: false })
      panel.current?.focus()
      return
    }
    const { activeElement } = document
    // The open message goes to the drafts.
    close()
    setReturnTo(activeElement)
    begin(latest.current.me, asked, latest.current.mailbox).then(
      (writing) => openInComposer(me.id, writing, asked.what === 'kept' ? asked.fault : undefined),
      sayFailure,
    )
  }, [me.id, asked])
  const key = openMessage?.writing.key
  // Returns the focus to where it was.
  useEffect(() => {
    if (key !== undefined || !(returnTo instanceof HTMLElement)) return
    if (document.activeElement === document.body) returnTo.focus()
  }, [key, returnTo])
  if (!openMessage) return null
  const { writing, isSmall } = openMessage
  return (
    <section
      ref={panel}
      role="dialog"
      aria-label={writing.subject || 'New message'}
      tabIndex={-1}
      className={styles.panel}
      data-small={isSmall || undefined}
    >
      <div className={styles.head}>
        <h2>{writing.subject || 'New message'}</h2>
        <IconButton
          name={isSmall ? 'Show the message' : 'Make small'}
          icon={isSmall ? 'previous' : 'next'}
          onPress={() => show({ isSmall: !isSmall })}
        />
        <ActionButtons actions={readyOf(closingActions, { close })} />
      </div>
      {!isSmall && <Form key={writing.key} me={me} openMessage={openMessage} />}
    </section>
  )
}
