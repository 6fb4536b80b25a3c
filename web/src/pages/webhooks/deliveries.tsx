import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { replayWebhook, type WebhookDelivery } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import { deliveriesQuery, webhooksQuery } from './queries.ts'
import styles from './webhooks.module.css'

/** A webhook's deliveries, newest first. */
export function Deliveries({ id }: { id: string }) {
  const may = useMay('webhooks:write')
  const [asked, ask] = useState<WebhookDelivery>()
  return (
    <Section title="Deliveries">
      <Card>
        <Loaded query={useQuery(deliveriesQuery(id))} what="deliveries">
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                title="Nothing is delivered yet"
                about="Events from now on are listed here once they are posted."
              />
            ) : (
              <Table
                name="Deliveries"
                rows={data}
                rowKey={({ event }) => event}
                columns={[
                  { heading: 'Event', cell: ({ type }) => <span className={styles.type}>{type}</span> },
                  { heading: 'State', cell: Outcome },
                  { heading: 'Attempts', cell: ({ attempts }) => attempts },
                  { heading: 'Last', cell: ({ last_at }) => last_at && <Time at={last_at} /> },
                  { heading: 'Answer', cell: Answer },
                  {
                    heading: '',
                    cell: (delivery) =>
                      may && (
                        <Button
                          look="quiet"
                          aria-label={`Deliver ${delivery.type} ${delivery.event} again`}
                          onPress={() => ask(delivery)}
                        >
                          Again
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked && (
        <ActionDialog
          title={`Deliver ${asked.type} again?`}
          about="It has the same id, by which the receiver may recognize it."
          action="Deliver again"
          changes={[webhooksQuery.queryKey]}
          onSubmit={() => replayWebhook(id, { event: asked.event })}
          onClose={() => ask(undefined)}
        />
      )}
    </Section>
  )
}

/** Characters of a response that are shown at first. */
const short = 60

function Answer({ answer }: WebhookDelivery) {
  if (!answer || answer.length <= short) return answer
  return (
    <details className={styles.answer}>
      <summary>{answer.slice(0, short)}…</summary>
      {answer}
    </details>
  )
}

function Outcome({ state, error, next_at }: WebhookDelivery) {
  if (state === 'delivered') return <Status is="good">Delivered</Status>
  return (
    <>
      {state === 'failed' ? <Status is="bad">Given up</Status> : <Status is="warn">Waiting</Status>}
      {error && <div>{error}</div>}
      {next_at && (
        <div>
          Next <Time at={next_at} />
        </div>
      )}
    </>
  )
}
