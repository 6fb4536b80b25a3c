import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card, Section } from '../../parts/page.tsx'
import { plain } from '../../parts/plain.ts'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session/may.ts'
import { meQuery } from '../../session/me.ts'
import {
  bouncedQuery,
  type Failed,
  failedScheduledQuery,
  ofForwarding,
  ofScheduled,
  ofSent,
  pausedForwardingQuery,
} from './queries.ts'

/** What failed lately, why, and where more is said of it. */
export function Failures() {
  const scheduled = useQuery({ ...failedScheduledQuery, enabled: useMay('scheduled:read') })
  const sent = useQuery({ ...bouncedQuery, enabled: useMay('messages:read') })
  const forwarding = useQuery({ ...pausedForwardingQuery, enabled: useMay('forwarding:read') })
  const failed = [
    ...(scheduled.data?.data.map(ofScheduled) ?? []),
    ...(sent.data?.data.flatMap(ofSent) ?? []),
    ...(forwarding.data?.map(ofForwarding) ?? []),
  ].toSorted((one, other) => other.at.localeCompare(one.at))
  const queries = [scheduled, sent, forwarding]
  if (queries.some(({ isLoading }) => isLoading)) return null
  if (failed.length === 0 && queries.some(({ isSuccess }) => !isSuccess)) return null
  return (
    <Section title="What failed">
      <Card>
        {failed.length === 0 ? (
          <Empty
            title="Nothing failed"
            about="Scheduled messages that could not be sent, messages that came back in the last seven days, and forwarding that was paused are shown here."
          />
        ) : (
          <Table
            name="What failed"
            rows={failed}
            rowKey={({ key }) => key}
            columns={[
              {
                heading: 'What',
                cell: ({ what, why }) => (
                  <>
                    <strong>{plain(what)}</strong>
                    {why !== '' && <div>{plain(why)}</div>}
                  </>
                ),
              },
              { heading: 'When', cell: ({ at }) => <Time at={at} /> },
              { heading: '', cell: ({ what, to }) => <Where what={plain(what)} to={to} /> },
            ]}
          />
        )}
      </Card>
    </Section>
  )
}

function Where({ what, to }: Pick<Failed, 'what' | 'to'>) {
  const { data: me } = useQuery(meQuery)
  const label = `Look: ${what}`
  if (to === '/scheduled')
    return (
      <Link to="/scheduled" aria-label={label}>
        Look
      </Link>
    )
  if (to && 'mailbox' in to)
    return (
      <Link to="/mailboxes/$address" params={{ address: to.mailbox }} aria-label={label}>
        Look
      </Link>
    )
  // Only those whose mail one may read.
  if (!to || !me?.mailboxes.some(({ address }) => address === to.sentOf)) return null
  return (
    <Link to="/mail/$mailbox/$folder" params={{ mailbox: to.sentOf, folder: 'sent' }} aria-label={label}>
      Look
    </Link>
  )
}
