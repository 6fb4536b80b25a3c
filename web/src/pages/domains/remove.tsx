import { useState } from 'react'
import { type Domain, removeDomain } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { domainsQuery } from './queries.ts'

export function Remove({ domain: { id, domain_unicode: name }, onClose }: { domain: Domain; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  return (
    <ActionDialog
      title={`Remove ${name}?`}
      about="Mail for it is refused from then on. A domain that has mailboxes cannot be removed."
      action="Remove domain"
      danger
      ready={typed.trim().toLowerCase() === name}
      changes={[domainsQuery.queryKey]}
      onSubmit={() => removeDomain(id)}
      onClose={onClose}
    >
      <TextInput label={`Type ${name} to remove it`} value={typed} onChange={setTyped} autoFocus />
    </ActionDialog>
  )
}
