import type { Generated } from 'kysely'

export interface SuppressionTables {
  suppressions: Suppressions
}

interface Suppressions {
  id: Generated<string>
  organization_id: string
  address: string
  mailbox_id: string | null
  cause: 'bounced' | 'complained'
  bounces: number
  bounced_at: Date
  suppressed_at: Date | null
  status: string | null
  reply: string | null
}
