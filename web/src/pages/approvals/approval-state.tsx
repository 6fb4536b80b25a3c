import type { Approval } from '../../api/generated.ts'
import { Status } from '../../parts/text/status.tsx'

export function ApprovalState({ status }: Pick<Approval, 'status'>) {
  if (status === 'approved') return <Status is="good">Approved</Status>
  if (status === 'declined') return <Status is="bad">Declined</Status>
  if (status === 'outdated') return <Status is="plain">Outdated</Status>
  return <Status is="warn">Waits for approval</Status>
}
