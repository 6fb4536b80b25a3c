import type { Generated } from 'kysely'

export interface MemberTables {
  members: Members
}

interface Members {
  id: Generated<string>
  organization_id: string
  email: string
  name: Generated<string>
  role: 'owner' | 'admin' | 'member'
  joined_at: Generated<Date>
}
