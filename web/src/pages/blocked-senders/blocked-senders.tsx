import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useActions } from '../../parts/actions/use-actions.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { ByOwner } from '../../parts/page/by-owner.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Time } from '../../parts/time/time.tsx'
import { blockActions } from './actions.ts'
import { Block } from './block.tsx'
import { type AnyBlock, blockRequests, blocksQuery } from './queries.ts'

type Asked = { readonly block: string; readonly own: boolean } | { readonly unblock: AnyBlock }

/** The senders that the organization blocks, and those that the member blocks. */
export function BlockedSenders() {
  const query = useQuery(blocksQuery)
  const { sender, own: forOwn = false } = useSearch({ from: '/signed-in/blocked-senders' })
  const navigate = useNavigate()
  const [asked, ask] = useState<Asked | undefined>(sender === undefined ? undefined : { block: sender, own: forOwn })
  const close = () => {
    ask(undefined)
    if (sender !== undefined) void navigate({ to: '/blocked-senders', replace: true })
  }
  const add = useActions(blockActions, (own) => ask({ block: '', own }))
  return (
    <Page
      title="Blocked senders"
      about="Mail from these is refused before it is stored, whether the address is that of the envelope or the author."
    >
      <ByOwner
        query={query}
        what="blocked senders"
        needs="filters:write"
        about={(own) => (own ? 'They cannot write to your own mailbox.' : 'They cannot write to any mailbox.')}
        add={add}
      >
        {(blocks, own, mayChange) =>
          blocks.length === 0 ? (
            <Empty
              title={own ? 'You block nobody' : 'Nobody is blocked'}
              about="Block one address, or all of a domain. The sender gets a refusal, not silence."
            />
          ) : (
            <Table
              name={own ? 'Blocked by you' : 'Blocked by the organization'}
              rows={blocks}
              rowKey={({ id }) => id}
              textOf={({ pattern }) => pattern}
              columns={[
                { heading: 'Address or domain', cell: ({ pattern }) => <code>{pattern}</code> },
                { heading: 'Blocked', cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  heading: '',
                  cell: (sender) =>
                    mayChange && (
                      <Button
                        look="quiet"
                        aria-label={`Unblock ${sender.pattern}`}
                        onPress={() => ask({ unblock: sender })}
                      >
                        Unblock
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </ByOwner>
      {asked && 'block' in asked && (
        <Block sender={asked.block} own={asked.own} blocked={query.data ?? []} onClose={close} />
      )}
      {asked && 'unblock' in asked && <Unblock sender={asked.unblock} onClose={close} />}
    </Page>
  )
}

function Unblock({ sender: { id, pattern, own }, onClose }: { sender: AnyBlock; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Unblock ${pattern}?`}
      about="Mail from there is accepted again. What was refused is not delivered later."
      action="Unblock"
      changes={[blocksQuery.queryKey]}
      onSubmit={() => blockRequests(own).unblock(id)}
      onClose={onClose}
    />
  )
}
