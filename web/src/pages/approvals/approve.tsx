import { useState } from 'react'
import { type Approval, approveDraft, type Draft } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { plain } from '../../parts/text/plain.ts'
import { decided } from './decided.ts'
import { ofApprovals } from './queries.ts'

export function Approve({ approval, draft, onClose }: { approval: Approval; draft: Draft; onClose: () => void }) {
  const [key] = useState(() => crypto.randomUUID())
  const people = draft.to.length + draft.cc.length + draft.bcc.length
  return (
    <ActionDialog
      title="Send this message?"
      about={`“${plain(draft.subject)}” leaves at once, as it is shown, to ${people === 1 ? 'one recipient' : `${people} recipients`}.`}
      action="Approve and send"
      changes={[ofApprovals]}
      onSubmit={() => decided(approveDraft(approval.id, { headers: { 'Idempotency-Key': key } }))}
      onClose={onClose}
    />
  )
}
