import { type DragEvent, type KeyboardEvent, useState } from 'react'
import type { Me } from '../../api/generated.ts'
import { keyOf, keysOf, readyOf } from '../../parts/actions/action.ts'
import { ActionButton } from '../../parts/actions/action-button.tsx'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { Button } from '../../parts/form/button.tsx'
import { FieldErrors } from '../../parts/form/field-errors.ts'
import { lazily } from '../../parts/state/loading-parts.ts'
import { Part } from '../../parts/state/part.tsx'
import { toasts } from '../../parts/state/toasts.ts'
import { useMay } from '../../session/may.ts'
import { usePresence } from '../mail/presence/use-presence.ts'
import { closingActions, sendingActions, writingActions } from './actions.ts'
import { AttachButton } from './attachments/attach-button.tsx'
import { Files } from './attachments/files.tsx'
import { pictureUrl } from './attachments/picture-url.ts'
import { write } from './beginning/opening.ts'
import { QuotedText } from './beginning/quoted-text.tsx'
import { formatted } from './beginning/signed.ts'
import styles from './composer.module.css'
import { addFiles, change, close, current, discardOpen, type OpenMessage, removeOpen, show } from './open-message.ts'
import { PlainText } from './plain-text.tsx'
import { PeopleField } from './recipients/people-field.tsx'
import { SubjectField } from './recipients/subject-field.tsx'
import { Conflict } from './saving/conflict.tsx'
import { KeptState } from './saving/kept-state.tsx'
import { DraftConflict } from './saving/save.ts'
import { useAutosave } from './saving/use-autosave.ts'
import { askApproval } from './sending/ask-approval.ts'
import { AskedApproval } from './sending/asked-approval.tsx'
import { faultOf, fieldOf } from './sending/fault.ts'
import { leave } from './sending/leave.tsx'
import { SendLater } from './sending/send-later.tsx'
import { SenderField } from './sending/sender-field.tsx'
import { undoable, type Writing } from './writing.ts'

const Editor = lazily(() => import('./editor/editor.tsx'))

const fields = ['from', 'to', 'cc', 'bcc', 'subject', 'attachments'] as const

/** The fields of the open message, and its actions. */
export function Form({ me, openMessage }: { me: Me; openMessage: OpenMessage }) {
  const { writing, fault } = openMessage
  const [asksLater, askLater] = useState(false)
  const { problem, tryNow } = useAutosave(writing, asksLater)
  // The initial contents change with the signature.
  const [drawn, redraw] = useState(0)
  const mayApprove = useMay('sending:approve')
  const [hasCopies, showCopies] = useState(hasCopiesOf(writing))
  // An answer starts in its text, a new message in its recipients.
  const [beginsWithText] = useState(writing.to.length > 0)
  // The last typed text may not be shown yet.
  const checked = () => {
    const latest = current()
    const wrong = latest && faultOf(latest)
    show({ fault: wrong })
    if (wrong && wrong.field !== 'to') showCopies(true)
    return wrong === undefined ? latest : undefined
  }
  const send = () => {
    const latest = checked()
    if (!latest) return
    removeOpen()
    void leave(me.id, latest, { at: Date.now() + undoable, key: crypto.randomUUID() })
  }
  const ask = () => {
    const latest = checked()
    if (latest) void askApproval(me.id, latest)
  }
  const discard = () => {
    const undo = discardOpen()
    if (undo)
      toasts.add(
        { text: 'Message discarded', action: { name: 'Undo', run: () => write({ what: 'kept', writing: undo() }) } },
        { timeout: undoable },
      )
  }
  const { isRich } = writing
  const open = {
    ...{ isRich, mayApprove, send, discard, close },
    sendLater: () => checked() && askLater(true),
    askApproval: ask,
    format: () => change(isRich ? { isRich: false } : formatted(writing)),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event)
    const [found] = [...sendingActions, ...closingActions].filter((one) => key && keysOf(one).includes(key))
    // The editor catches Esc and does nothing.
    if (!found || (key === 'Esc' && event.defaultPrevented && !isEditor(event.target))) return
    found.do(open)
    event.preventDefault()
  }
  const onDrop = (event: DragEvent) => {
    if (event.defaultPrevented || event.dataTransfer.files.length === 0) return
    event.preventDefault()
    void addFiles([...event.dataTransfer.files], false)
  }
  const field = fault && fieldOf(fault, fields)
  return (
    <form
      className={styles.form}
      onKeyDown={onKeyDown}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={onDrop}
      onSubmit={(event) => event.preventDefault()}
    >
      <FieldErrors value={field && fault ? { [field]: fault.message } : {}}>
        {writing.draft && <AskedApproval draft={writing.draft.id} />}
        <div className={styles.fields}>
          <SenderField me={me} address={writing.from} onSigned={() => redraw((times) => times + 1)} />
          <PeopleField
            label="To"
            name="to"
            mailbox={writing.from}
            people={writing.to}
            unfinished={writing.unfinished?.to}
            onChange={(to) => change({ to })}
            takesFocus={!beginsWithText}
          >
            {!hasCopies && (
              <Button look="quiet" onPress={() => showCopies(true)}>
                Cc and Bcc
              </Button>
            )}
          </PeopleField>
          {hasCopies && (
            <>
              <PeopleField
                label="Cc"
                name="cc"
                mailbox={writing.from}
                people={writing.cc}
                unfinished={writing.unfinished?.cc}
                onChange={(cc) => change({ cc })}
              />
              <PeopleField
                label="Bcc"
                name="bcc"
                mailbox={writing.from}
                people={writing.bcc}
                unfinished={writing.unfinished?.bcc}
                onChange={(bcc) => change({ bcc })}
              />
            </>
          )}
          <SubjectField value={writing.subject} />
        </div>
        {writing.isRich && writing.isFormattedElsewhere && (
          <p role="status" className={styles.notice}>
            Another program gave this draft formatting that is not kept once you change its text here, tables for
            example. Until then it stays as it is, and can be sent so.
          </p>
        )}
        {writing.isRich ? (
          <Part name="The editor" loading={<div className={styles.wait} />}>
            <Editor
              key={drawn}
              html={writing.html}
              onChange={change}
              pictureUrl={(cid) => pictureUrl(writing.files, cid)}
              onFiles={(files) => addFiles(files, true)}
              takesFocus={beginsWithText && drawn === 0}
            />
          </Part>
        ) : (
          <PlainText value={writing.text} onChange={(text) => change({ text })} takesFocus={beginsWithText} />
        )}
        {writing.answers && <SaysWriting {...writing.answers} />}
        {writing.quoted && <QuotedText quoted={writing.quoted} />}
        <Files writing={writing} tryNow={problem && !(problem instanceof DraftConflict) ? tryNow : undefined} />
      </FieldErrors>
      {problem instanceof DraftConflict && <Conflict writing={writing} />}
      {fault && !field && (
        <p role="alert" className={styles.fault}>
          Not sent: {fault.message}
        </p>
      )}
      <div className={styles.foot}>
        {readyOf(sendingActions, open).map((action) => (
          <ActionButton key={action.name} action={action} {...(action.name === 'Send' && { look: 'primary' })} />
        ))}
        <KeptState openMessage={openMessage} problem={problem} />
        <AttachButton />
        <ActionButtons actions={readyOf(writingActions, open)} />
      </div>
      {asksLater && <SendLater member={me.id} writing={writing} onClose={() => askLater(false)} />}
    </form>
  )
}

const isEditor = (target: EventTarget) => target instanceof Element && target.closest('[contenteditable]') !== null

/** Reports to others who read the conversation that it is being answered. */
function SaysWriting({ mailbox, conversation }: NonNullable<Writing['answers']>) {
  usePresence({ mailbox }, conversation, 'writing')
  return null
}

function hasCopiesOf({ cc, bcc, unfinished = {} }: Writing): boolean {
  return cc.length + bcc.length > 0 || Boolean(unfinished.cc || unfinished.bcc)
}
