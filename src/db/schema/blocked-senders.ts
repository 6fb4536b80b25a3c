import type { Generated } from 'kysely'
import type { Made } from './made.ts'

export interface BlockedSenderTables {
  blocked_senders: BlockedSenders
}

interface BlockedSenders {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  pattern: string
  created_at: Made<Date>
}
