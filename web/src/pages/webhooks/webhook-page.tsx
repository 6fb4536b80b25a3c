import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Card } from '../../parts/page/card.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/state/loaded.tsx'
import { Deliveries } from './deliveries.tsx'
import { webhookQuery } from './queries.ts'
import { State } from './state.tsx'
import { Actions } from './webhook-actions.tsx'
import styles from './webhooks.module.css'

/** A webhook and its deliveries. */
export function WebhookPage() {
  const { id } = useParams({ from: '/signed-in/webhooks/$id' })
  const query = useQuery(webhookQuery(id))
  const { data } = query
  return (
    <Page title={data ? data.name || new URL(data.url).host : 'Webhook'} about={data?.url}>
      <Loaded query={query} what="the webhook">
        {(webhook) => (
          <>
            <Card>
              <div className={styles.head}>
                <div>
                  <State {...webhook} />
                </div>
                <Actions webhook={webhook} />
              </div>
            </Card>
            <Deliveries id={id} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
