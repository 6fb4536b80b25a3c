import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  cancelScheduledMessage,
  listScheduledMessages,
  retryScheduledMessage,
  type ScheduledMessage,
} from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { ShowMore } from '../../parts/page/show-more.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Countdown } from '../../parts/time/countdown.tsx'
import { useMay } from '../../session/may.ts'

const scheduled = infiniteQueryOptions({
  queryKey: ['scheduled'],
  queryFn: ({ pageParam, signal }) => listScheduledMessages({ cursor: pageParam }, { signal }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  select: ({ pages }) => pages.flatMap(({ data }) => data),
  refetchInterval: 30_000,
})

export function Scheduled() {
  const mayChange = useMay('scheduled:write')
  const [asked, ask] = useState<{ readonly what: 'cancel' | 'retry'; readonly message: ScheduledMessage }>()
  const close = () => ask(undefined)
  const query = useInfiniteQuery(scheduled)
  return (
    <Page title="Scheduled" about="Messages that are sent later, soonest first. What failed stays here for 30 days.">
      <Card>
        <Loaded query={query} what="scheduled messages">
          {(messages) =>
            messages.length === 0 ? (
              <Empty
                title="Nothing is scheduled"
                about="What members and programs send later waits here, and can be cancelled."
              />
            ) : (
              <Table
                name="Scheduled messages"
                rows={messages}
                rowKey={({ id }) => id}
                columns={[
                  {
                    heading: 'Message',
                    cell: ({ subject, from, to, last_error, unless_replied }) => (
                      <>
                        <strong>{subject || '(no subject)'}</strong>
                        <div>
                          {from} to {to.join(', ')}
                        </div>
                        {unless_replied && <div>Only if nobody has answered</div>}
                        {last_error !== null && <div>{last_error}</div>}
                      </>
                    ),
                  },
                  { heading: 'Leaves', cell: ({ send_at }) => <Countdown to={send_at} /> },
                  { heading: 'By', cell: scheduledBy },
                  { heading: 'State', cell: State },
                  {
                    heading: '',
                    cell: (message) =>
                      mayChange && (
                        <>
                          {message.status === 'pending' && (
                            <Button
                              look="quiet"
                              aria-label={`Cancel ${message.subject}`}
                              onPress={() => ask({ what: 'cancel', message })}
                            >
                              Cancel
                            </Button>
                          )}
                          {(message.status === 'failed' || message.status === 'cancelled') && (
                            <Button
                              look="quiet"
                              aria-label={`Send ${message.subject} again`}
                              onPress={() => ask({ what: 'retry', message })}
                            >
                              Send again
                            </Button>
                          )}
                        </>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      <ShowMore query={query} name="Later messages" />
      {asked?.what === 'cancel' && (
        <ActionDialog
          title="Cancel this message?"
          about={`“${asked.message.subject}” is not sent, and is gone from here.`}
          action="Cancel message"
          danger
          changes={[scheduled.queryKey]}
          onSubmit={() => cancelScheduledMessage(asked.message.id)}
          onClose={close}
        />
      )}
      {asked?.what === 'retry' && (
        <ActionDialog
          title="Send it again?"
          about={`“${asked.message.subject}” is tried again within five minutes.`}
          action="Send again"
          changes={[scheduled.queryKey]}
          onSubmit={() => retryScheduledMessage(asked.message.id)}
          onClose={close}
        />
      )}
    </Page>
  )
}

function State({ status }: ScheduledMessage) {
  if (status === 'cancelled') return <Status is="plain">Cancelled: answered</Status>
  if (status === 'failed') return <Status is="bad">Failed</Status>
  return status === 'sending' ? <Status is="warn">Being sent</Status> : <Status is="plain">Waiting</Status>
}

function scheduledBy({ scheduled_by, scheduled_by_member, scheduled_by_key }: ScheduledMessage): string {
  if (scheduled_by === 'member') return scheduled_by_member?.email ?? 'A former member'
  if (!scheduled_by_key) return 'An API key'
  return scheduled_by_key.name === '' ? 'A key without a name' : `Key “${scheduled_by_key.name}”`
}
