import { useState } from 'react'
import { type ForwardingReply, updateForwarding } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Check } from '../../parts/form/check.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { forwardingQuery } from './queries.ts'
import { Until, untilFrom, untilOf } from './until.tsx'

interface Props {
  readonly address: string
  readonly reply: ForwardingReply
  readonly onClose: () => void
}

/** Switches the auto-reply on or off. Its text stays. */
export function AutoReplyForm({ address, reply, onClose }: Props) {
  const [isOn, switchOn] = useState(reply.enabled || reply.body === '')
  const [subject, setSubject] = useState(reply.subject)
  const [body, setBody] = useState(reply.body)
  const [until, setUntil] = useState(() => untilOf(reply.until))
  const save = () =>
    updateForwarding({
      mailbox: address,
      reply_subject: subject,
      reply_body: body,
      reply_enabled: isOn,
      reply_until: untilFrom(until),
    })
  return (
    <ActionDialog
      title={`Auto-reply of ${address}`}
      about="Each sender gets it once in four days. Mailing lists and automatic mail get none."
      action="Save"
      ready={!isOn || body.trim() !== ''}
      fields={['reply_subject', 'reply_body', 'reply_enabled', 'reply_until']}
      changes={[forwardingQuery(address).queryKey]}
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
      <TextInput name="reply_body" label="Text" long value={body} onChange={setBody} />
      <Until name="reply_until" value={until} onChange={setUntil} />
      <Check isSelected={isOn} onChange={switchOn}>
        Answer what arrives
      </Check>
    </ActionDialog>
  )
}
