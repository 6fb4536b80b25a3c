import type { Generated } from 'kysely'

export interface UsageTables {
  organization_usage: OrganizationUsage
}

interface OrganizationUsage {
  organization_id: string
  domains: Generated<number>
  mailboxes: Generated<number>
  storage_bytes: Generated<number>
}
