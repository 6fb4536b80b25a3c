import type { Generated } from 'kysely'

export interface DraftTables {
  drafts: Drafts
  sent_drafts: SentDrafts
}

interface Drafts {
  organization_id: string
  mailbox_id: string
  uid: number
  key: string
}

interface SentDrafts {
  organization_id: string
  mailbox_id: string
  key: string
  uid: number
  sent_at: Generated<Date>
  removed: Generated<boolean>
}
