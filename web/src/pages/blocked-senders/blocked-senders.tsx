import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type BlockedSender, blockSender, listBlockedSenders, unblockSender } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { Button } from '../../parts/button.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session/may.ts'

const blocked = queryOptions({
  queryKey: ['blocked-senders'],
  queryFn: ({ signal }) => listBlockedSenders(undefined, { signal }),
})
const changed = () => queryClient.invalidateQueries({ queryKey: blocked.queryKey })

export function BlockedSenders() {
  const query = useQuery(blocked)
  const mayChange = useMay('filters:write')
  const [asked, ask] = useState<BlockedSender | 'new'>()
  const close = () => ask(undefined)
  const add = (
    <Button look="primary" onPress={() => ask('new')}>
      Block senders
    </Button>
  )
  return (
    <Page
      title="Blocked senders"
      about="Mail from these is refused before it is stored, whether the address is that of the envelope or the author."
      actions={mayChange && add}
    >
      <Card>
        <Loaded query={query} what="blocked senders">
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                title="Nobody is blocked"
                about="Block one address, or all of a domain. The sender gets a refusal, not silence."
              >
                {mayChange && add}
              </Empty>
            ) : (
              <Table
                name="Blocked senders"
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  { heading: 'Address or domain', cell: ({ pattern }) => <code>{pattern}</code> },
                  { heading: 'Blocked', cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    heading: '',
                    cell: (sender) =>
                      mayChange && (
                        <Button look="quiet" aria-label={`Unblock ${sender.pattern}`} onPress={() => ask(sender)}>
                          Unblock
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked === 'new' && <Block onClose={close} />}
      {asked && asked !== 'new' && <Unblock sender={asked} onClose={close} />}
    </Page>
  )
}

function Block({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const patterns = text.split(/[\s,;]+/).filter((one) => one !== '')
  const block = async () => {
    try {
      // What is blocked leaves the field, so that an error is about what still stands in it.
      for (const [index, pattern] of patterns.entries()) {
        await blockSender({ pattern })
        setText(patterns.slice(index + 1).join('\n'))
      }
    } finally {
      await changed()
    }
  }
  return (
    <ActionDialog
      title="Block senders"
      action={patterns.length > 1 ? `Block ${patterns.length}` : 'Block'}
      ready={patterns.length > 0}
      fields={['pattern']}
      onSubmit={block}
      onClose={onClose}
    >
      <TextInput
        long
        name="pattern"
        label="Addresses or domains"
        value={text}
        onChange={setText}
        autoFocus
        placeholder={'spam@example.com\n@example.org'}
        hint="One a line. @example.org is everybody at that domain, without its subdomains."
      />
    </ActionDialog>
  )
}

function Unblock({ sender: { id, pattern }, onClose }: { sender: BlockedSender; onClose: () => void }) {
  const unblock = async () => {
    await unblockSender(id)
    await changed()
  }
  return (
    <ActionDialog
      title={`Unblock ${pattern}?`}
      about="Mail from there is accepted again. What was refused is not delivered later."
      action="Unblock"
      onSubmit={unblock}
      onClose={onClose}
    />
  )
}
