import { useState } from 'react'
import { changeForwarding, type ForwardingForward } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { forwardingChanged } from './queries.ts'

interface Props {
  readonly address: string
  readonly forward: ForwardingForward
  readonly onClose: () => void
}

/** An address switches forwarding on, none switches it off. */
export function ForwardingForm({ address, forward, onClose }: Props) {
  const [to, setTo] = useState(forward.to ?? '')
  const save = async () => {
    const target = to.trim()
    await changeForwarding({
      mailbox: address,
      ...(target === '' ? { forward_to: null } : { forward_to: target, forward_enabled: true }),
    })
    await forwardingChanged(address)
  }
  return (
    <ActionDialog
      title={`Forwarding of ${address}`}
      about="Mail that arrives from now on is forwarded, except junk. The mailbox keeps its copy."
      action="Save"
      fields={['forward_to', 'forward_enabled']}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="forward_to"
        label="Forward to"
        type="email"
        value={to}
        onChange={setTo}
        autoFocus
        hint="Empty to switch forwarding off."
      />
    </ActionDialog>
  )
}
