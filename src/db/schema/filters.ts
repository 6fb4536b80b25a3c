import type { Generated } from 'kysely'
import type { Made } from './made.ts'

export interface FilterTables {
  filters: Filters
}

interface Filters {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  name: string
  field: 'from' | 'to' | 'subject'
  op: 'contains' | 'is'
  value: string
  action: 'move' | 'label' | 'star' | 'read'
  argument: string | null
  position: number
  enabled: Generated<boolean>
  created_at: Made<Date>
  updated_at: Made<Date>
}
