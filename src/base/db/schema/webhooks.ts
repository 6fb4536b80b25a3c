import type { Generated } from 'kysely'

export interface WebhookTables {
  webhooks: Webhooks
  webhook_deliveries: WebhookDeliveries
}

interface Webhooks {
  id: Generated<string>
  organization_id: string
  name: string
  url: string
  types: string[] | null
  mailbox_id: string | null
  key_id: string | null
  member_id: string | null
  secret: Buffer
  previous_secret: Buffer | null
  previous_until: Date | null
  position: number
  event_id: number
  rounds_failed: Generated<number>
  failing_since: Date | null
  due_at: Date
  paused_at: Date | null
  paused_because: string | null
  resumes: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  leased_until: Date | null
  lease_epoch: Generated<number>
}

interface WebhookDeliveries {
  organization_id: string
  webhook_id: string
  position: number
  event_id: number
  type: string
  order_scope: string
  order_part: string | null
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  due_at: Date
  first_at: Date | null
  last_at: Date | null
  milliseconds: number | null
  status: number | null
  answer: string | null
  error: string | null
}
