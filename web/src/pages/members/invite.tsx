import { inviteMember, type Member } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import type { MadeLink } from './made-link.ts'

interface Props {
  readonly member: Member
  readonly onMade: (made: MadeLink) => void
  readonly onClose: () => void
}

export function Invite({ member, onMade, onClose }: Props) {
  return (
    <ActionDialog
      title={`A new link for ${member.email}?`}
      about="It signs them in once, for 72 hours. The one before stops working."
      action="Make link"
      onSubmit={() => inviteMember(member.id)}
      onDone={({ link, mailed }) => link !== undefined && onMade({ email: member.email, link, mailed })}
      onClose={onClose}
    />
  )
}
