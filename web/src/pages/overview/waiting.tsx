import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { useMay } from '../../session/may.ts'
import { pendingQuery } from '../approvals/queries.ts'
import { Matters } from './matters.tsx'
import { deferredQuery, nextScheduledQuery, ofApproval, ofDeferred, ofNext } from './queries.ts'

/** Pending items: drafts to approve, messages to be sent next, and retries. */
export function Waiting() {
  const approvals = useQuery(pendingQuery)
  const scheduled = useQuery({ ...nextScheduledQuery, enabled: useMay('scheduled:read') })
  const deferred = useQuery({ ...deferredQuery, enabled: useMay('messages:read') })
  const waiting = [
    ...(approvals.data?.data.slice(0, 5).map(ofApproval) ?? []),
    ...(scheduled.data?.data.map(ofNext) ?? []),
    ...(deferred.data?.data.flatMap(ofDeferred) ?? []),
  ]
  if (waiting.length === 0) return null
  return (
    <Section title="What waits">
      <Card>
        <Matters name="What waits" matters={waiting} />
      </Card>
    </Section>
  )
}
