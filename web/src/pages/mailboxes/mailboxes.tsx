import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { NewMailbox } from '../../api/generated.ts'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { useCommands } from '../../parts/keyboard/commands.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { size } from '../../parts/text/size.ts'
import { Status } from '../../parts/text/status.tsx'
import { useMay } from '../../session/may.ts'
import { Create } from './create.tsx'
import { mailboxesQuery } from './queries.ts'

export function Mailboxes() {
  const query = useQuery(mailboxesQuery)
  const mayCreate = useMay('mailboxes:write')
  const [asked, ask] = useState(false)
  const [made, setMade] = useState<NewMailbox>()
  useCommands(mayCreate ? [{ name: 'New mailbox', run: () => ask(true) }] : [])
  const add = (
    <Button look="primary" onPress={() => ask(true)}>
      New mailbox
    </Button>
  )
  return (
    <Page title="Mailboxes" about="Each has an address at one of your verified domains." actions={mayCreate && add}>
      <Card>
        <Loaded query={query} what="mailboxes">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No mailboxes yet" about="A mailbox needs a verified domain. Then it receives at once.">
                {mayCreate && add}
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
