import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getUsage } from '../../api/generated.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { count, size } from '../../parts/text/size.ts'
import { Status } from '../../parts/text/status.tsx'
import { domainsQuery } from '../domains/queries.ts'
import { Failures } from './failures.tsx'
import { Meter } from './meter.tsx'
import styles from './overview.module.css'
import { Waiting } from './waiting.tsx'

const usageQuery = queryOptions({ queryKey: ['usage'], queryFn: ({ signal }) => getUsage({ signal }) })

export function Overview() {
  const usage = useQuery(usageQuery)
  return (
    <Page title="Overview" {...(usage.data && { about: `What is used of the plan ${usage.data.plan}.` })}>
      <Loaded query={usage} what="usage">
        {({ mailboxes, domains, storage, sending }) => (
          <div className={styles.meters}>
            <Meter name="Mailboxes" used={mailboxes.used} limit={mailboxes.limit} show={count} to="/mailboxes" />
            <Meter name="Domains" used={domains.used} limit={domains.limit} show={count} to="/domains" />
            <Meter name="Storage" used={storage.used_bytes} limit={storage.limit_bytes} show={size} />
            <Meter
              name="Sent today"
              used={sending.sent_today}
              limit={sending.limit_per_day}
              show={count}
              note=" recipients, until midnight UTC"
            />
          </div>
        )}
      </Loaded>
      <Failures />
      <Waiting />
      <Outstanding />
    </Page>
  )
}

/** Domains with records to publish. */
function Outstanding() {
  const { data } = useQuery(domainsQuery)
  const waiting = data?.data.filter(({ status, outstanding }) => status !== 'verified' || outstanding > 0) ?? []
  if (waiting.length === 0) return null
  return (
    <Section title="Domains with something outstanding">
      <Card>
        <Table
          name="Domains with something outstanding"
          rows={waiting}
          rowKey={({ id }) => id}
          columns={[
            { heading: 'Domain', cell: ({ domain_unicode }) => <Link to="/domains">{domain_unicode}</Link> },
            {
              heading: 'Outstanding',
              cell: ({ outstanding, status }) =>
                status === 'failed' ? (
                  <Status is="bad">Failed</Status>
                ) : (
                  <Status is="warn">{outstanding === 1 ? '1 record' : `${outstanding} records`}</Status>
                ),
            },
          ]}
        />
      </Card>
    </Section>
  )
}
