import type { Generated } from 'kysely'

export interface KeyTables {
  api_keys: ApiKeys
}

interface ApiKeys {
  id: Generated<string>
  organization_id: string
  name: Generated<string>
  hash: Buffer
  prefix: string
  last_four: string
  scopes: string[]
  mailbox_ids: readonly string[] | null
  recipients: readonly string[] | null
  networks: readonly string[] | null
  requests_per_minute: number | null
  created_at: Generated<Date>
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}
