import { useInfiniteQuery } from '@tanstack/react-query'
import { type Change, listChanges } from '../../api/generated.ts'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { ShowMore } from '../../parts/page/show-more.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Time } from '../../parts/time/time.tsx'
import { changeText } from './change-text.ts'
import { UndoButton } from './undo-button.tsx'

/** Changes to mail in the last 30 days, with a button to undo each. */
export function Changes() {
  const query = useInfiniteQuery({
    queryKey: ['changes'],
    queryFn: ({ pageParam, signal }) => listChanges({ limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    // Refreshed while a change runs.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((one) => one.state === 'running')) ? 5_000 : false,
  })
  return (
    <Page
      title="Recent changes"
      about="What was done to mail that you read in the last 30 days, newest first. What was deleted for good is not here: it cannot be undone."
    >
      <Card>
        <Loaded query={query} what="recent changes">
          {(changes) =>
            changes.length === 0 ? (
              <Empty
                title="No changes"
                about="What is moved, labelled, starred or read is listed here, and can be undone."
              />
            ) : (
              <Table name="Recent changes" rows={changes} rowKey={({ id }) => id} columns={columns} />
            )
          }
        </Loaded>
      </Card>
      <ShowMore query={query} name="Older changes" />
    </Page>
  )
}

function What({ change }: { change: Change }) {
  return (
    <>
      <strong>{changeText(change)}</strong>
      {change.error !== null && <p>Ended early: {change.error}</p>}
    </>
  )
}

const columns = [
  { heading: 'What', cell: (change: Change) => <What change={change} /> },
  { heading: 'Mailbox', cell: ({ mailboxes }: Change) => mailboxes.join(', ') },
  { heading: 'Who', cell: ({ by: { kind, name } }: Change) => name || kind.replaceAll('_', ' ') },
  { heading: 'When', cell: ({ at }: Change) => <Time at={at} /> },
  { heading: '', cell: (change: Change) => <UndoButton change={change} /> },
]
