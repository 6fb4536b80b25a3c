import type { Generated } from 'kysely'

export interface ForwardingTables {
  forwarding: ForwardingSettings
  auto_replies: AutoReplies
  returned_reports: ReturnedReports
}

interface ForwardingSettings {
  mailbox_id: string
  organization_id: string
  forward_enabled: Generated<boolean>
  forward_to: string | null
  forward_since: Date | null
  forward_until: Date | null
  forward_paused_at: Date | null
  forward_paused_because: string | null
  refused_at: Generated<Date[]>
  relayed_on: string | null
  relayed: Generated<number>
  returned_on: string | null
  returned: Generated<number>
  replied_on: string | null
  replied: Generated<number>
  reply_enabled: Generated<boolean>
  reply_subject: Generated<string>
  reply_body: Generated<string>
  reply_since: Date | null
  reply_until: Date | null
  updated_at: Date
}

interface AutoReplies {
  mailbox_id: string
  sender: string
  replied_at: Date
}

interface ReturnedReports {
  mailbox_id: string
  address: string
  returned_on: string
  returned: number
}
