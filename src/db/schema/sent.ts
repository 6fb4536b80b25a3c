import type { Generated } from 'kysely'

export interface SentTables {
  sent_recipients: SentRecipients
}

interface SentRecipients {
  id: Generated<number>
  organization_id: string
  message_id: string
  mailbox_id: string | null
  sender: string
  address: string | null
  queued_at: Date
  state: 'delivered' | 'bounced' | 'complained'
  at: Generated<Date>
  status: string | null
  reply: string | null
  reason: string | null
  host: string | null
}
