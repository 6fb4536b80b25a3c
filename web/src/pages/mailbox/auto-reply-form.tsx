import { useState } from 'react'
import { changeForwarding, type ForwardingReply } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { forwardingChanged } from './queries.ts'

interface Props {
  readonly address: string
  readonly reply: ForwardingReply
  readonly onClose: () => void
}

/** A text switches the auto-reply on, none switches it off. */
export function AutoReplyForm({ address, reply, onClose }: Props) {
  const [subject, setSubject] = useState(reply.subject)
  const [body, setBody] = useState(reply.body)
  const save = async () => {
    await changeForwarding({
      mailbox: address,
      reply_subject: subject,
      reply_body: body,
      reply_enabled: body.trim() !== '',
    })
    await forwardingChanged(address)
  }
  return (
    <ActionDialog
      title={`Auto-reply of ${address}`}
      action="Save"
      fields={['reply_subject', 'reply_body', 'reply_enabled']}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="reply_subject"
        label="Subject"
        value={subject}
        onChange={setSubject}
        hint="Empty for “Auto:” and the subject of the message that is answered."
      />
      <TextInput
        name="reply_body"
        label="Text"
        long
        value={body}
        onChange={setBody}
        hint="Empty to switch the auto-reply off."
      />
    </ActionDialog>
  )
}
