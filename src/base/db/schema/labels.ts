import type { Generated } from 'kysely'

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
  created_at: Generated<Date>
}

interface RetiredKeywords {
  organization_id: string
  member_id: string | null
  name_key: string
  keyword: string
  retired_at: Generated<Date>
}
