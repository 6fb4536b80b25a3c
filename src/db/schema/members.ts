import type { Generated } from 'kysely'
import type { Made } from './made.ts'

export interface MemberTables {
  members: Members
}

interface Members {
  id: Generated<string>
  organization_id: string
  email: string
  name: Generated<string>
  role: 'owner' | 'admin' | 'member'
  joined_at: Made<Date>
}
