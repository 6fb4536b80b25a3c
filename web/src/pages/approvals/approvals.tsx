import { useQuery } from '@tanstack/react-query'
import type { Approval } from '../../api/generated.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Time } from '../../parts/time/time.tsx'
import { ApprovalState } from './approval-state.tsx'
import styles from './approvals.module.css'
import { latestQuery, pendingQuery } from './queries.ts'
import { WaitingDraft } from './waiting-draft.tsx'

/** Drafts that wait for approval, and decided ones. */
export function Approvals() {
  return (
    <Page title="Approvals" about="Drafts that are sent once somebody approves them, from the mailboxes that you read.">
      <Loaded query={useQuery(pendingQuery)} what="approvals">
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <Empty
                title="Nothing waits for approval"
                about="Drafts for which approval was asked are shown here, as they would be sent."
              />
            </Card>
          ) : (
            <ul className={styles.waiting}>
              {data.map((approval) => (
                <li key={approval.id}>
                  <WaitingDraft approval={approval} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Decided />
    </Page>
  )
}

function Decided() {
  const decided = useQuery(latestQuery).data?.data.filter(({ status }) => status !== 'pending') ?? []
  if (decided.length === 0) return null
  return (
    <Section title="Decided" about="For 30 days.">
      <Card>
        <Table name="Decided approvals" rows={decided} rowKey={({ id }) => id} columns={columns} />
      </Card>
    </Section>
  )
}

const columns = [
  { heading: 'Mailbox', cell: ({ mailbox }: Approval) => mailbox },
  { heading: 'Asked by', cell: ({ requested_by }: Approval) => requested_by.name },
  {
    heading: 'State',
    cell: (approval: Approval) => (
      <>
        <ApprovalState status={approval.status} />
        {approval.reason !== null && <div>{approval.reason}</div>}
      </>
    ),
  },
  { heading: 'By', cell: ({ decided_by }: Approval) => decided_by?.name ?? 'An edit' },
  { heading: 'When', cell: ({ decided_at }: Approval) => decided_at !== null && <Time at={decided_at} /> },
]
