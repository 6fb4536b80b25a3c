import { type DragEvent, type KeyboardEvent, lazy, Suspense, useState } from 'react'
import type { Me } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/field.tsx'
import { FieldErrors } from '../../parts/field-errors.ts'
import { IconButton } from '../../parts/icon-button.tsx'
import { toasts } from '../../parts/toasts.ts'
import styles from './composer.module.css'
import { Conflict } from './conflict.tsx'
import { addFiles, change, close, current, type Desk, lose, show, take } from './desk.ts'
import { faultOf, fieldOf } from './fault.ts'
import { AttachButton, Files } from './files.tsx'
import { KeptState } from './kept-state.tsx'
import { leave } from './leave.ts'
import { write } from './opening.ts'
import { PeopleField } from './people-field.tsx'
import { pictureUrl } from './picture-url.ts'
import { PlainText } from './plain-text.tsx'
import { linesAsHtml } from './quote.ts'
import { QuotedText } from './quoted-text.tsx'
import { DraftConflict } from './save.ts'
import { SendLater } from './send-later.tsx'
import { SubjectField } from './subject-field.tsx'
import { useAutosave } from './use-autosave.ts'
import { sendersOf, undoable } from './writing.ts'

const Editor = lazy(() => import('./editor/editor.tsx'))

const fields = ['from', 'to', 'cc', 'bcc', 'subject', 'attachments'] as const

/** The fields of the message that is open, and what can be done with it. */
export function Form({ me, desk }: { me: Me; desk: Desk }) {
  const { writing, fault } = desk
  const problem = useAutosave(writing)
  const [asksLater, askLater] = useState(false)
  const [hasCopies, showCopies] = useState(writing.cc.length + writing.bcc.length > 0)
  // An answer begins with its text, a new message with its recipients.
  const [beginsWithText] = useState(writing.to.length > 0)
  // What was typed last may not be shown yet.
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
    take()
    void leave(me.id, latest, { at: Date.now() + undoable, key: crypto.randomUUID() })
  }
  const discard = () => {
    const undo = lose()
    if (undo)
      toasts.add(
        { text: 'Message discarded', action: { name: 'Undo', run: () => write({ what: 'kept', writing: undo() }) } },
        { timeout: undoable },
      )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
    else if (event.key === 'Escape' && (isEditor(event.target) || !event.defaultPrevented)) close()
    else return
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
        <div className={styles.fields}>
          <From me={me} address={writing.from} />
          <PeopleField
            label="To"
            name="to"
            people={writing.to}
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
              <PeopleField label="Cc" name="cc" people={writing.cc} onChange={(cc) => change({ cc })} />
              <PeopleField label="Bcc" name="bcc" people={writing.bcc} onChange={(bcc) => change({ bcc })} />
            </>
          )}
          <SubjectField value={writing.subject} />
        </div>
        {writing.isRich ? (
          <Suspense fallback={<div className={styles.wait} />}>
            <Editor
              html={writing.html}
              onChange={change}
              pictureUrl={(cid) => pictureUrl(writing.files, cid)}
              onFiles={(files) => addFiles(files, true)}
              takesFocus={beginsWithText}
            />
          </Suspense>
        ) : (
          <PlainText value={writing.text} onChange={(text) => change({ text })} takesFocus={beginsWithText} />
        )}
        {writing.quoted && <QuotedText quoted={writing.quoted} />}
        <Files files={writing.files} />
      </FieldErrors>
      {problem instanceof DraftConflict && <Conflict writing={writing} />}
      {fault && !field && (
        <p role="alert" className={styles.fault}>
          Not sent: {fault.message}
        </p>
      )}
      <div className={styles.foot}>
        <Button look="primary" onPress={send}>
          Send
        </Button>
        <Button onPress={() => checked() && askLater(true)}>Send later</Button>
        <KeptState desk={desk} problem={problem} />
        <AttachButton />
        <IconButton
          name={writing.isRich ? 'Write as plain text' : 'Write with formatting'}
          icon="format"
          filled={writing.isRich}
          onPress={() => change(writing.isRich ? { isRich: false } : { isRich: true, html: linesAsHtml(writing.text) })}
        />
        <IconButton name="Discard" icon="delete" onPress={discard} />
      </div>
      {asksLater && <SendLater member={me.id} writing={writing} onClose={() => askLater(false)} />}
    </form>
  )
}

/** It takes Esc, and does nothing with it. */
const isEditor = (target: EventTarget) => target instanceof Element && target.closest('[contenteditable]') !== null

/** Who sends it; a choice for those who may send from several mailboxes. */
function From({ me, address }: { me: Me; address: string }) {
  const senders = sendersOf(me)
  if (senders.length < 2) return null
  return (
    <Choice
      label="From"
      name="from"
      value={address}
      onChange={(from) => change({ from })}
      options={senders.map((one) => ({ id: one.address, name: one.address, text: one.address }))}
    />
  )
}
