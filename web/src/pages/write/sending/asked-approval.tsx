import { useQuery } from '@tanstack/react-query'
import { Time } from '../../../parts/time/time.tsx'
import { ApprovalState } from '../../approvals/approval-state.tsx'
import { approvalOfQuery } from '../../approvals/queries.ts'
import styles from '../composer.module.css'

/** Whether approval of a draft was requested, and the decision; nothing if it never was. */
export function AskedApproval({ draft }: { draft: string }) {
  const { data: approval } = useQuery(approvalOfQuery(draft))
  if (!approval) return null
  const { status, requested_by, requested_at, decided_by, reason } = approval
  return (
    <p role="status" className={styles.approval}>
      <ApprovalState status={status} />{' '}
      {status === 'pending' && (
        <>
          {requested_by.name} asked <Time at={requested_at} />. An edit makes another approval necessary.
        </>
      )}
      {status === 'declined' && `${decided_by?.name}: ${reason}`}
      {status === 'outdated' && 'It was edited since approval was asked for.'}
    </p>
  )
}
