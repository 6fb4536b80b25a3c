import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { createMailbox, type NewMailbox } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { Status } from '../../parts/chip.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Choice, TextInput } from '../../parts/field.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { size } from '../../parts/size.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useMay } from '../../session/may.ts'
import { domainsQuery } from '../domains/queries.ts'
import { mailboxesChanged, mailboxesQuery } from './queries.ts'

export function Mailboxes() {
  const query = useQuery(mailboxesQuery)
  const mayCreate = useMay('mailboxes:write')
  const [asked, ask] = useState(false)
  const [made, setMade] = useState<NewMailbox>()
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

function Create({ onCreated, onClose }: { onCreated: (mailbox: NewMailbox) => void; onClose: () => void }) {
  const { data } = useQuery(domainsQuery)
  const verified = data?.data.filter(({ status, suspended }) => status === 'verified' && !suspended) ?? []
  const [chosen, choose] = useState<string>()
  const [localPart, setLocalPart] = useState('')
  const [name, setName] = useState('')
  const domain = chosen ?? verified[0]?.domain
  const create = async () => {
    if (domain === undefined) return
    const made = await createMailbox({ domain, local_part: localPart.trim().toLowerCase(), ...(name && { name }) })
    await mailboxesChanged()
    onCreated(made)
  }
  return (
    <ActionDialog
      title="New mailbox"
      {...(data && domain === undefined && { about: 'There is no verified domain yet: add one on the page Domains.' })}
      action="Create mailbox"
      ready={domain !== undefined && localPart.trim() !== ''}
      fields={['local_part', 'domain', 'name']}
      onSubmit={create}
      onClose={onClose}
    >
      <TextInput name="local_part" label="Name before the @" value={localPart} onChange={setLocalPart} autoFocus />
      {domain !== undefined && (
        <Choice
          name="domain"
          label="Domain"
          value={domain}
          onChange={choose}
          options={verified.map((one) => ({ id: one.domain, name: one.domain_unicode }))}
        />
      )}
      <TextInput
        name="name"
        label="Display name"
        value={name}
        onChange={setName}
        hint="Whose it is, or what for. May be empty."
      />
    </ActionDialog>
  )
}
