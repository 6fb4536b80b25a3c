import { useState } from 'react'
import { type ForwardingForward, updateForwarding } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Check } from '../../parts/form/check.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { forwardingQuery } from './queries.ts'
import { Until, untilFrom, untilOf } from './until.tsx'

interface Props {
  readonly address: string
  readonly forward: ForwardingForward
  readonly onClose: () => void
}

/** Switches forwarding on or off. The address stays. */
export function ForwardingForm({ address, forward, onClose }: Props) {
  const [isOn, switchOn] = useState(forward.enabled || forward.to === null || forward.paused_at !== null)
  const [to, setTo] = useState(forward.to ?? '')
  const [until, setUntil] = useState(() => untilOf(forward.until))
  const save = () =>
    updateForwarding({
      mailbox: address,
      forward_to: to.trim() || null,
      forward_enabled: isOn,
      forward_until: untilFrom(until),
    })
  return (
    <ActionDialog
      title={`Forwarding of ${address}`}
      about="Mail that arrives from now on is forwarded, except junk. The mailbox keeps its copy."
      action="Save"
      ready={!isOn || to.trim() !== ''}
      fields={['forward_to', 'forward_enabled', 'forward_until']}
      changes={[forwardingQuery(address).queryKey]}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput name="forward_to" label="Forward to" type="email" value={to} onChange={setTo} autoFocus />
      <Until name="forward_until" value={until} onChange={setUntil} />
      <Check isSelected={isOn} onChange={switchOn}>
        Forward what arrives
      </Check>
    </ActionDialog>
  )
}
