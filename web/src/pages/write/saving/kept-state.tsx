import { ApiError } from '../../../api/call.ts'
import styles from '../composer.module.css'
import type { OpenMessage } from '../open-message.ts'

/** The state of saving, in a few words. Screen readers announce problems only. */
export function KeptState({
  openMessage: { kept, writing },
  problem,
}: {
  openMessage: OpenMessage
  problem: Error | undefined
}) {
  const announced = announcedOf(kept, problem)
  return (
    <span className={styles.kept}>
      <span role="status">{announced}</span>
      {announced === undefined && (writing.isSaved ? 'Saved' : writing.isSaved === false ? 'Saving…' : '')}
    </span>
  )
}

function announcedOf(kept: OpenMessage['kept'], problem: Error | undefined): string | undefined {
  if (!kept) return problem && 'Not saved: this browser stores nothing'
  if (!problem) return undefined
  if (problem instanceof ApiError && problem.isOffline) return 'Offline: kept on this device'
  if (problem instanceof ApiError && problem.status === 401) return 'Signed out: kept on this device'
  return `Kept on this device: ${problem.message}`
}
