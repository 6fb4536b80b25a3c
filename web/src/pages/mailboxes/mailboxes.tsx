import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { NewMailbox } from '../../api/generated.ts'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { size } from '../../parts/text/size.ts'
import { Status } from '../../parts/text/status.tsx'
import { mailboxActions } from './actions.ts'
import { Create } from './create.tsx'
import { mailboxesQuery } from './queries.ts'

export function Mailboxes() {
  const query = useQuery(mailboxesQuery)
  const [asked, ask] = useState(false)
  const [made, setMade] = useState<NewMailbox>()
  const add = <ActionButtons actions={useActions(mailboxActions, () => ask(true))} look="primary" />
  return (
    <Page title="Mailboxes" about="Each has an address at one of your verified domains." actions={add}>
      <Card>
        <Loaded query={query} what="mailboxes">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No mailboxes yet" about="A mailbox needs a verified domain. Then it receives at once.">
                {add}
              </Empty>
            ) : (
              <Table
                name="Mailboxes"
                rows={data}
                rowKey={({ id }) => id}
                textOf={({ address, name, aliases }) => [address, name, ...aliases].join(' ')}
                columns={[
                  {
                    heading: 'Address',
                    cell: ({ address, name }) => (
                      <>
                        <Link to="/mailboxes/$address" params={{ address }}>
                          {address}
                        </Link>
                        {name && <div>{name}</div>}
                      </>
                    ),
                  },
                  { heading: 'Also', cell: ({ aliases }) => aliases.join(', ') },
                  {
                    heading: 'State',
                    cell: ({ suspended, kind }) =>
                      suspended ? (
                        <Status is="bad">Suspended</Status>
                      ) : (
                        <Status is="good">{kind === 'private' ? 'Private' : 'Active'}</Status>
                      ),
                  },
                  { heading: 'Storage', cell: ({ storage_used_bytes }) => size(storage_used_bytes) },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked && <Create onCreated={setMade} onClose={() => ask(false)} />}
      {made?.password !== undefined && (
        <ShownOnce
          title={`${made.address} is there`}
          about="Its password for mail programs. It cannot be shown again."
          secret={made.password}
          name="password"
          onClose={() => setMade(undefined)}
        />
      )}
    </Page>
  )
}
