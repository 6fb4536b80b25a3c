import { queryOptions } from '@tanstack/react-query'
import { getWebhook, listWebhookDeliveries, listWebhooks } from '../../api/generated.ts'

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => listWebhooks(undefined, { signal }),
})

/** How often deliveries are refreshed, in milliseconds: they have no events. */
const everyMs = 5_000

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => getWebhook(id, { signal }),
    refetchInterval: everyMs,
  })

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ signal }) => listWebhookDeliveries(id, { limit: 100 }, { signal }),
    refetchInterval: everyMs,
  })
