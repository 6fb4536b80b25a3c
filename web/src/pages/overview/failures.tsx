import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { useMay } from '../../session/may.ts'
import { webhooksQuery } from '../webhooks/queries.ts'
import { Matters } from './matters.tsx'
import {
  bouncedQuery,
  failedScheduledQuery,
  failing,
  ofForwarding,
  ofScheduled,
  ofSent,
  ofWebhook,
  pausedForwardingQuery,
} from './queries.ts'

/** Recent failures, their reasons, and links to details. */
export function Failures() {
  const scheduled = useQuery({ ...failedScheduledQuery, enabled: useMay('scheduled:read') })
  const sent = useQuery({ ...bouncedQuery, enabled: useMay('messages:read') })
  const forwarding = useQuery({ ...pausedForwardingQuery, enabled: useMay('forwarding:read') })
  const webhooks = useQuery({ ...webhooksQuery, enabled: useMay('webhooks:read') })
  const failed = [
    ...(scheduled.data?.map(ofScheduled) ?? []),
    ...(sent.data?.data.flatMap(ofSent) ?? []),
    ...(forwarding.data?.map(ofForwarding) ?? []),
    ...failing(webhooks.data?.data ?? []).map(ofWebhook),
  ].toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''))
  const queries = [scheduled, sent, forwarding, webhooks]
  if (queries.some(({ isLoading }) => isLoading)) return null
  if (failed.length === 0 && queries.some(({ isError }) => isError)) return null
  return (
    <Section title="What failed">
      <Card>
        {failed.length === 0 ? (
          <Empty
            title="Nothing failed"
            about="Scheduled messages that could not be sent, messages that came back in the last seven days, forwarding that was paused, and webhooks that deliver nothing are shown here."
          />
        ) : (
          <Matters name="What failed" matters={failed} />
        )}
      </Card>
    </Section>
  )
}
