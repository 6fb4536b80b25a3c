import { useState } from 'react'
import { enrolDomain } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { domainsQuery } from './queries.ts'

export function Enrol({ onClose }: { onClose: () => void }) {
  const [domain, setDomain] = useState('')
  return (
    <ActionDialog
      title="Add a domain"
      action="Add domain"
      ready={domain.trim() !== ''}
      fields={['domain']}
      changes={[domainsQuery.queryKey]}
      onSubmit={() => enrolDomain({ domain: domain.trim() })}
      onClose={onClose}
    >
      <TextInput
        name="domain"
        label="Domain"
        placeholder="example.com"
        value={domain}
        onChange={setDomain}
        autoFocus
        hint="Next you get the records to publish."
      />
    </ActionDialog>
  )
}
