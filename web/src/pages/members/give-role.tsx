import { useState } from 'react'
import { type Member, type MemberRole, updateMember } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { membersQuery } from './queries.ts'
import { RoleChoice } from './role-choice.tsx'

export function GiveRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const [role, setRole] = useState<MemberRole>(member.role)
  return (
    <ActionDialog
      title={`Role of ${member.email}`}
      action="Save"
      ready={role !== member.role}
      fields={['role']}
      changes={[membersQuery.queryKey]}
      onSubmit={() => updateMember(member.id, { role })}
      onClose={onClose}
    >
      <RoleChoice role={role} onChange={setRole} />
    </ActionDialog>
  )
}
