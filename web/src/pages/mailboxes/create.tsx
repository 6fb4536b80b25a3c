import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createMailbox, type NewMailbox } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { domainsQuery } from '../domains/queries.ts'
import { mailboxesQuery } from './queries.ts'

export function Create({ onCreated, onClose }: { onCreated: (mailbox: NewMailbox) => void; onClose: () => void }) {
  const { data } = useQuery(domainsQuery)
  const verified = data?.data.filter(({ status, suspended }) => status === 'verified' && !suspended) ?? []
  const [chosen, choose] = useState<string>()
  const [localPart, setLocalPart] = useState('')
  const [name, setName] = useState('')
  const domain = chosen ?? verified[0]?.domain
  const create = async () => {
    if (domain === undefined) return undefined
    return createMailbox({ domain, local_part: localPart.trim().toLowerCase(), ...(name && { name }) })
  }
  return (
    <ActionDialog
      title="New mailbox"
      {...(data && domain === undefined && { about: 'There is no verified domain yet: add one on the page Domains.' })}
      action="Create mailbox"
      ready={domain !== undefined && localPart.trim() !== ''}
      fields={['local_part', 'domain', 'name']}
      changes={[mailboxesQuery.queryKey]}
      onSubmit={create}
      onDone={(made) => made && onCreated(made)}
      onClose={onClose}
    >
      <TextInput name="local_part" label="Name before the @" value={localPart} onChange={setLocalPart} autoFocus />
      {domain !== undefined && (
        <Choice
          name="domain"
          label="Domain"
          value={domain}
          onChange={choose}
          options={verified.map((one) => ({ id: one.domain, name: one.domain_unicode }))}
        />
      )}
      <TextInput
        name="name"
        label="Display name"
        value={name}
        onChange={setName}
        hint="Its owner or purpose. May be empty."
      />
    </ActionDialog>
  )
}
