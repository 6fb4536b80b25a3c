import { queryOptions, useQuery } from '@tanstack/react-query'
import { listMembers } from '../../api/generated.ts'
import { Status } from '../../parts/chip.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

const members = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => listMembers({ limit: 1_000 }, { signal }),
})

export function Members() {
  return (
    <Page title="Members" about="People of the organization who can sign in.">
      <Card>
        <Loaded query={useQuery(members)} what="members">
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                title="No members yet"
                about="The operator adds the first one with the command `mailroom member add`."
              />
            ) : (
              <Table
                name="Members"
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  {
                    heading: 'Member',
                    cell: ({ name, email }) => (
                      <>
                        <strong>{name || email}</strong>
                        {name && <div>{email}</div>}
                      </>
                    ),
                  },
                  {
                    heading: 'Role',
                    cell: ({ role }) => <Status is={role === 'member' ? 'plain' : 'good'}>{role}</Status>,
                  },
                  { heading: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} /> },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  )
}
