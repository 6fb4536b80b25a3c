import { useState } from 'react'
import { ActionDialog } from '../../../parts/form/action-dialog.tsx'
import { TextInput } from '../../../parts/form/text-input.tsx'
import { linkable } from './schema.ts'

interface Props {
  /** The selected text. */
  readonly text: string
  readonly onLink: (href: string, text: string) => void
  readonly onClose: () => void
}

export function LinkDialog({ text: selected, onLink, onClose }: Props) {
  const [address, setAddress] = useState(/^https?:\S+$/.test(selected) ? selected : '')
  const [text, setText] = useState(selected)
  const href = linkable.test(address.trim()) ? address.trim() : `https://${address.trim()}`
  return (
    <ActionDialog
      title="Link"
      action="Set link"
      ready={URL.canParse(href)}
      onSubmit={async () => onLink(href, text.trim() || href)}
      onClose={onClose}
    >
      <TextInput name="address" label="Address" inputMode="url" value={address} onChange={setAddress} autoFocus />
      <TextInput name="text" label="Text" value={text} onChange={setText} hint="If empty, the address is shown." />
    </ActionDialog>
  )
}
