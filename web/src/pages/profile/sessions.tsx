import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { endSession, type Session } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { browserName } from '../../parts/text/browser-name.ts'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { sessionsQuery } from './queries.ts'

/** The member's sessions. */
export function Sessions() {
  const [ending, end] = useState<Session>()
  return (
    <Card>
      <Loaded query={useQuery(sessionsQuery)} what="sessions">
        {({ data }) => (
          <Table
            name="Sessions"
            rows={data}
            rowKey={({ id }) => id}
            columns={[
              {
                heading: 'Browser',
                cell: ({ user_agent, client_address, current }) => (
                  <>
                    <span title={user_agent}>{browserName(user_agent)}</span>{' '}
                    {current && <Status is="good">This one</Status>}
                    <div>from {client_address}</div>
                  </>
                ),
              },
              { heading: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
              { heading: 'Last use', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
              {
                heading: '',
                cell: (session) =>
                  !session.current && (
                    <Button
                      look="quiet"
                      aria-label={`End the session from ${session.client_address}`}
                      onPress={() => end(session)}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {ending && (
        <ActionDialog
          title="End this session?"
          about={`${browserName(ending.user_agent)} from ${ending.client_address}`}
          action="End session"
          danger
          changes={[sessionsQuery.queryKey]}
          onSubmit={() => endSession(ending.id)}
          onClose={() => end(undefined)}
        />
      )}
    </Card>
  )
}
