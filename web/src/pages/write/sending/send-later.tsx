import { useState } from 'react'
import { cancelScheduledMessage, sendDraft } from '../../../api/generated.ts'
import { mutate } from '../../../app/query-client.ts'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { Check } from '../../../parts/form/check.tsx'
import { TextInput } from '../../../parts/form/text-input.tsx'
import { toasts } from '../../../parts/state/toasts.ts'
import { localTime } from '../../../parts/time/local-time.ts'
import { inFull } from '../../../parts/time/time.tsx'
import { write } from '../beginning/opening.ts'
import styles from '../composer.module.css'
import { removeOpen } from '../open-message.ts'
import { deleteWithDraft } from '../saving/closed-message.ts'
import { keep } from '../saving/device.ts'
import { noLongerSaved, save } from '../saving/save.ts'
import { undoable, type Writing } from '../writing.ts'
import { choicesFrom, windowFrom } from './times.ts'

/** The choice of the time to send a message. */
export function SendLater({ member, writing, onClose }: { member: string; writing: Writing; onClose: () => void }) {
  const [now] = useState(() => new Date())
  const { first, last } = windowFrom(now)
  const choices = choicesFrom(now)
  const [time, setTime] = useState(() => localTime(choices[0]?.at ?? first))
  const at = new Date(time)
  const [unlessReplied, setUnlessReplied] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  return (
    <ActionDialog
      title="Send later"
      about={`Until ${inFull(last.toISOString())}. Until it is sent, it is on the page Scheduled and can be cancelled.`}
      action="Schedule"
      fields={['send_at']}
      ready={at >= first && at <= last}
      changes={[['scheduled']]}
      onSubmit={async () => {
        const draft = await save(writing)
        const body = { version: draft.version, send_at: at.toISOString(), unless_replied: unlessReplied }
        const headers = { 'Idempotency-Key': `${key} ${body.version} ${body.send_at} ${unlessReplied}` }
        const { id } = await sendDraft(draft.id, body, { headers })
        removeOpen()
        noLongerSaved(writing.key)
        offerUndo(member, { ...writing, draft: undefined, isSaved: false }, id, body.send_at)
      }}
      onClose={onClose}
    >
      <div className={styles.choices}>
        {choices.map((one) => (
          <Button key={one.name} onPress={() => setTime(localTime(one.at))}>
            {one.name}
          </Button>
        ))}
      </div>
      <TextInput
        name="send_at"
        label="Date and time"
        type="datetime-local"
        value={time}
        onChange={setTime}
        isRequired
      />
      {writing.inReplyTo !== undefined && (
        <Check isSelected={unlessReplied} onChange={setUnlessReplied}>
          Only if nobody has answered
        </Check>
      )}
    </ActionDialog>
  )
}

/** A scheduled message is stored on this device as long as it can be undone. */
function offerUndo(member: string, writing: Writing, id: string, sendAt: string): void {
  // A reload ends the offer to undo, and does not open again what will be sent.
  void keep(member, { ...writing, fate: 'discarded' }).catch(() => {})
  const lost = setTimeout(() => void deleteWithDraft(member, writing), undoable)
  const undo = async () => {
    clearTimeout(lost)
    await cancelScheduledMessage(id)
    write({ what: 'kept', writing })
  }
  const meta = { changes: [['scheduled']] }
  const action = { name: 'Undo', run: () => void mutate({ mutationFn: undo, meta }, undefined) }
  toasts.add({ text: `Message leaves ${inFull(sendAt)}`, action }, { timeout: undoable })
}
