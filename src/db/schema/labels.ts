import type { Generated } from 'kysely'
import type { Made } from './made.ts'

export interface LabelTables {
  labels: Labels
  retired_keywords: RetiredKeywords
}

interface Labels {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  name: string
  name_key: string
  keyword: string
  colour: string
  created_at: Made<Date>
}

interface RetiredKeywords {
  organization_id: string
  member_id: string | null
  name_key: string
  keyword: string
  retired_at: Made<Date>
}
