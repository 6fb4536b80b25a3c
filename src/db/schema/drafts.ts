import type { Generated } from 'kysely'
import type { Made } from './made.ts'

export interface DraftTables {
  sent_drafts: SentDrafts
}

interface SentDrafts {
  organization_id: string
  mailbox_id: string
  key: string
  uid: number
  sent_at: Made<Date>
  removed: Generated<boolean>
}
