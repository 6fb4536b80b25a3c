import type { Generated } from 'kysely'

export interface OrganizationTables {
  plans: Plans
  organizations: Organizations
}

interface Plans {
  name: string
  domains: number
  mailboxes: number
  storage_bytes: number
  sends_per_day: number
  scheduled_messages: Generated<number>
  scheduled_bytes: Generated<number>
}

interface Organizations {
  id: Generated<string>
  name: string
  plan: string
  suspended_at: Date | null
  created_at: Generated<Date>
}
