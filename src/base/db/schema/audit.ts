import type { Generated } from 'kysely'

export interface AuditTables {
  audit_entries: AuditEntries
}

interface AuditEntries {
  id: Generated<number>
  organization_id: string | null
  at: Generated<Date>
  actor_kind: 'key' | 'operator' | 'member' | 'service' | 'single_sign_on'
  actor_id: string | null
  actor_name: string
  client_address: string | null
  action: string
  item_id: string | null
  item_name: string
  before: object | null
  after: object | null
}
