import { type Member, removeMember } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { membersQuery } from './queries.ts'

export function Remove({ member, onClose }: { member: Member; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Remove ${member.email}?`}
      about="Their sessions end, and labels, filters and blocks of their own are gone. Mailboxes and mail stay."
      action="Remove member"
      danger
      changes={[membersQuery.queryKey]}
      onSubmit={() => removeMember(member.id)}
      onClose={onClose}
    />
  )
}
