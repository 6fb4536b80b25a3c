import type { Generated } from 'kysely'

export interface SentTables {
  replaced_message_ids: ReplacedMessageIds
  sent_recipients: SentRecipients
}

interface ReplacedMessageIds {
  organization_id: string
  given: string
  own: string
  queued_at: Date
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
