import type { Generated } from 'kysely'

export interface BlockedSenderTables {
  blocked_senders: BlockedSenders
}

interface BlockedSenders {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  pattern: string
  created_at: Generated<Date>
}
