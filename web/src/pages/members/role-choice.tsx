import type { MemberRole } from '../../api/generated.ts'
import { Choice } from '../../parts/form/choice.tsx'
import { useMay } from '../../session/may.ts'

const roles: readonly { readonly id: MemberRole; readonly name: string; readonly about: string }[] = [
  { id: 'member', name: 'Member', about: 'reads what the organization has, and changes what is their own' },
  { id: 'admin', name: 'Admin', about: 'changes all of the organization’s, and members who are not owners' },
  { id: 'owner', name: 'Owner', about: 'everything, owners and the audit trail included' },
]

/** The roles that the signed-in member may give. */
export function RoleChoice({ role, onChange }: { role: MemberRole; onChange: (role: MemberRole) => void }) {
  const mayMakeOwners = useMay('manage_owners')
  return (
    <Choice
      name="role"
      label="Role"
      value={role}
      onChange={onChange}
      options={roles
        .filter(({ id }) => mayMakeOwners || id !== 'owner')
        .map(({ id, name, about }) => ({ id, name, shown: `${name}: ${about}` }))}
    />
  )
}
