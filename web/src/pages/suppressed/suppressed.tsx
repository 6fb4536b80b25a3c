import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteSuppression, type Suppression } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextInput } from '../../parts/form/text-input.tsx'
import { useSettled } from '../../parts/form/use-settled.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { ShowMore } from '../../parts/page/show-more.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import { meQuery } from '../../session/me.ts'
import { suppressedQuery } from './queries.ts'

/** Rows that need no field to find one. */
const few = 20

/** Addresses that nothing is sent to, as far as they concern mailboxes that the member reads. */
export function Suppressed() {
  const [typed, type] = useState('')
  const [sought, seek] = useState('')
  const settled = useSettled(typed.trim())
  if (settled !== undefined && settled !== sought) seek(settled)
  const query = useInfiniteQuery({ ...suppressedQuery(sought), placeholderData: keepPreviousData })
  const [asked, ask] = useState<Suppression>()
  const maySend = useMaySend()
  const isLong = query.hasNextPage || (query.data?.length ?? 0) > few
  return (
    <Page
      title="Suppressed addresses"
      about="Nothing is sent to these, from any mailbox: mail to them bounced twice as undeliverable, or was called spam."
    >
      {(isLong || typed !== '') && (
        <TextInput type="search" label="Find" placeholder="A part of the address" value={typed} onChange={type} />
      )}
      <Card>
        <Loaded query={query} what="suppressed addresses">
          {(suppressed) =>
            suppressed.length === 0 ? (
              sought === '' ? (
                <Empty title="No address is suppressed" about="Addresses that refuse all mail are listed here." />
              ) : (
                <Empty title="No such address" about={`None of the suppressed addresses has “${sought}” in it.`} />
              )
            ) : (
              <Table
                name="Suppressed addresses"
                rows={suppressed}
                rowKey={({ address }) => address}
                columns={[
                  { heading: 'Address', cell: ({ address }) => address },
                  { heading: 'Why', cell: Why },
                  { heading: 'Mail of', cell: ({ mailbox }) => mailbox ?? 'A deleted mailbox' },
                  { heading: 'Since', cell: ({ suppressed_at }) => <Time at={suppressed_at} /> },
                  {
                    heading: '',
                    cell: (one) =>
                      maySend(one) && (
                        <Button look="quiet" aria-label={`Send again to ${one.address}`} onPress={() => ask(one)}>
                          Send again
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      <ShowMore query={query} />
      {asked && (
        <ActionDialog
          title={`Send to ${asked.address} again?`}
          about="Its bounces are counted from zero. If mail still cannot reach it, it is suppressed again."
          action="Send again"
          changes={[['suppressions']]}
          onSubmit={() => deleteSuppression(asked.address)}
          onClose={() => ask(undefined)}
        />
      )}
    </Page>
  )
}

/** It takes the right to send from the mailbox whose mail came back. */
function useMaySend(): (suppression: Suppression) => boolean {
  const mailboxes = useQuery(meQuery).data?.mailboxes ?? []
  const may = useMay('sending:write')
  const mine = new Set(
    mailboxes.filter(({ level }) => level === 'own' || level === 'send').map(({ address }) => address),
  )
  return ({ mailbox }) => may && (mailbox === null || mine.has(mailbox))
}

function Why({ cause, code, reply }: Suppression) {
  return (
    <>
      {cause === 'bounced' ? <Status is="bad">Bounced</Status> : <Status is="warn">Called spam</Status>}
      {(reply ?? code) && <div>{reply ?? code}</div>}
    </>
  )
}
