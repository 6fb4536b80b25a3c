import { queryOptions, useQuery } from '@tanstack/react-query'
import { listAccessChanges, type MailboxAccessChange } from '../../api/generated.ts'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Time } from '../../parts/time/time.tsx'
import { levels } from '../mailbox/levels.ts'

const changesQuery = queryOptions({
  queryKey: ['access-changes'],
  queryFn: ({ signal }) => listAccessChanges({}, { signal }),
})

/** Changes of access to the member's own mailboxes; nothing if there are none. */
export function AccessChanges() {
  const { data } = useQuery(changesQuery)
  if (!data || data.data.length === 0) return null
  return (
    <Section title="Access to your mailbox">
      <Card>
        <Table name="Access to your mailbox" rows={data.data} rowKey={({ id }) => String(id)} columns={columns} />
      </Card>
    </Section>
  )
}

const columns = [
  { heading: 'When', cell: ({ at }: MailboxAccessChange) => <Time at={at} /> },
  { heading: 'Mailbox', cell: ({ mailbox }: MailboxAccessChange) => mailbox },
  {
    heading: 'Who',
    cell: ({ member, after }: MailboxAccessChange) => (
      <>
        <strong>{member.email}</strong>
        <div>{after === null ? 'No access any more' : levels[after]}</div>
      </>
    ),
  },
  { heading: 'By', cell: ({ by }: MailboxAccessChange) => by.name || 'The operator' },
]
