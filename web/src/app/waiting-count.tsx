import { useQuery } from '@tanstack/react-query'
import { pendingQuery } from '../pages/approvals/queries.ts'
import { VisuallyHidden } from '../parts/state/visually-hidden.tsx'
import { count } from '../parts/text/size.ts'
import styles from './shell.module.css'

/** The number of drafts that wait for approval. */
export function WaitingCount() {
  const waiting = useQuery(pendingQuery).data?.data.length ?? 0
  if (waiting === 0) return null
  return (
    <span className={styles.unread}>
      {count(waiting)}
      <VisuallyHidden> waiting</VisuallyHidden>
    </span>
  )
}
