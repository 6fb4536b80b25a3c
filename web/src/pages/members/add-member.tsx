import { useState } from 'react'
import { addMember, type MemberRole } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import type { MadeLink } from './made-link.ts'
import { membersQuery } from './queries.ts'
import { RoleChoice } from './role-choice.tsx'

export function AddMember({ onAdded, onClose }: { onAdded: (made: MadeLink) => void; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<MemberRole>('member')
  return (
    <ActionDialog
      title="Add a member"
      about="They get a link that signs them in: by mail where that is possible, else pass it on."
      action="Add member"
      ready={email.trim() !== ''}
      fields={['email', 'name', 'role']}
      changes={[membersQuery.queryKey]}
      onSubmit={() => addMember({ email: email.trim(), name, role })}
      onDone={({ link, mailed }) => link !== undefined && onAdded({ email, link, mailed })}
      onClose={onClose}
    >
      <TextInput
        name="email"
        label="E-mail address"
        type="email"
        value={email}
        onChange={setEmail}
        autoFocus
        hint="A mailbox of this address is theirs."
      />
      <TextInput name="name" label="Name" value={name} onChange={setName} />
      <RoleChoice role={role} onChange={setRole} />
    </ActionDialog>
  )
}
