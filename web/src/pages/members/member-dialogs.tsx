import { useState } from 'react'
import {
  addMember,
  changeMember,
  inviteMember,
  type Member,
  type MemberRole,
  removeMember,
} from '../../api/generated.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { membersChanged } from './queries.ts'
import { RoleChoice } from './role-choice.tsx'

/** A link that was just made, and whom it signs in. */
export interface MadeLink {
  readonly email: string
  readonly link: string
  /** It is on its way to them by mail. */
  readonly mailed: boolean
}

interface Props {
  readonly member: Member
  readonly onClose: () => void
}

export function AddMember({ onAdded, onClose }: { onAdded: (made: MadeLink) => void; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<MemberRole>('member')
  const add = async () => {
    const { link, mailed } = await addMember({ email: email.trim(), name, role })
    await membersChanged()
    if (link !== undefined) onAdded({ email, link, mailed })
  }
  return (
    <ActionDialog
      title="Add a member"
      about="They get a link that signs them in: by mail where that is possible, else pass it on."
      action="Add member"
      ready={email.trim() !== ''}
      fields={['email', 'name', 'role']}
      onSubmit={add}
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

export function Invite({ member, onMade, onClose }: Props & { onMade: (made: MadeLink) => void }) {
  const invite = async () => {
    const { link, mailed } = await inviteMember(member.id)
    if (link !== undefined) onMade({ email: member.email, link, mailed })
  }
  return (
    <ActionDialog
      title={`A new link for ${member.email}?`}
      about="It signs them in once, for 72 hours. The one before stops working."
      action="Make link"
      onSubmit={invite}
      onClose={onClose}
    />
  )
}

export function GiveRole({ member, onClose }: Props) {
  const [role, setRole] = useState<MemberRole>(member.role)
  return (
    <ActionDialog
      title={`Role of ${member.email}`}
      action="Save"
      ready={role !== member.role}
      fields={['role']}
      onSubmit={() => changeMember(member.id, { role }).then(membersChanged)}
      onClose={onClose}
    >
      <RoleChoice role={role} onChange={setRole} />
    </ActionDialog>
  )
}

export function Remove({ member, onClose }: Props) {
  return (
    <ActionDialog
      title={`Remove ${member.email}?`}
      about="Their sessions end, and labels, filters and blocks of their own are gone. Mailboxes and mail stay."
      action="Remove member"
      danger
      onSubmit={() => removeMember(member.id).then(membersChanged)}
      onClose={onClose}
    />
  )
}
