import type { Generated } from 'kysely'

export interface DraftTables {
  sent_drafts: SentDrafts
}

interface SentDrafts {
  organization_id: string
  mailbox_id: string
  key: string
  uid: number
  sent_at: Generated<Date>
  removed: Generated<boolean>
}
