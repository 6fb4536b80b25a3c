import { useState } from 'react'
import { type ApiKeyScopesItem, createApiKey } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Choice } from '../../parts/form/choice.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { keysQuery } from './queries.ts'
import { Scopes } from './scopes.tsx'

const lifetimes = [
  { id: '30', name: '30 days' },
  { id: '90', name: '90 days' },
  { id: '365', name: 'A year' },
  { id: 'never', name: 'Until it is revoked' },
] as const

type Lifetime = (typeof lifetimes)[number]['id']

export function CreateKey({ onCreated, onClose }: { onCreated: (key: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ApiKeyScopesItem[]>([])
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [mailboxes, setMailboxes] = useState('')
  const [recipients, setRecipients] = useState('')
  const [networks, setNetworks] = useState('')
  const create = () =>
    createApiKey({
      ...{ name, scopes },
      ...(lifetime !== 'never' && { expires_at: new Date(Date.now() + Number(lifetime) * 86_400_000).toISOString() }),
      ...listed({ mailboxes, recipients, networks }),
    })
  return (
    <ActionDialog
      title="New API key"
      about="What a key may do never changes: to change it, make another and revoke this one."
      action="Create key"
      ready={scopes.length > 0}
      fields={['name', 'scopes', 'expires_at', 'mailboxes', 'recipients', 'networks']}
      changes={[keysQuery.queryKey]}
      onSubmit={create}
      onDone={({ key }) => key !== undefined && onCreated(key)}
      onClose={onClose}
    >
      <TextInput name="name" label="Name" value={name} onChange={setName} autoFocus hint="Which program uses it." />
      <Scopes chosen={scopes} onChange={setScopes} />
      <Choice name="expires_at" label="Works for" value={lifetime} onChange={setLifetime} options={lifetimes} />
      <TextInput
        name="mailboxes"
        label="Only these mailboxes"
        value={mailboxes}
        onChange={setMailboxes}
        hint="Addresses, with commas between. Empty for all, those of members too."
      />
      <TextInput
        name="recipients"
        label="Only to these recipients"
        value={recipients}
        onChange={setRecipients}
        hint="Addresses, and @domain for all of a domain. Empty for everybody."
      />
      <TextInput
        name="networks"
        label="Only from these networks"
        value={networks}
        onChange={setNetworks}
        hint="As 192.0.2.0/24 or 2001:db8::/32. Empty for everywhere."
      />
    </ActionDialog>
  )
}

/** The non-empty lists, each separated by commas. */
function listed(texts: Readonly<Record<'mailboxes' | 'recipients' | 'networks', string>>) {
  const lists = Object.entries(texts).map(([name, text]) => [name, text.split(/[,\s]+/).filter(Boolean)] as const)
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0))
}
