import { useState } from 'react'
import { type Approval, declineDraft } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { decided } from './decided.ts'
import { ofApprovals } from './queries.ts'

export function Decline({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const [reason, setReason] = useState('')
  return (
    <ActionDialog
      title="Decline this draft?"
      about="It stays a draft. Who asked sees the reason."
      action="Decline"
      ready={reason.trim() !== ''}
      fields={['reason']}
      changes={[ofApprovals]}
      onSubmit={() => decided(declineDraft(approval.id, { reason: reason.trim() }))}
      onClose={onClose}
    >
      <TextInput name="reason" label="Reason" value={reason} onChange={setReason} maxLength={998} autoFocus />
    </ActionDialog>
  )
}
