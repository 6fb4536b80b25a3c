import type { Generated } from 'kysely'

export interface SecretTables {
  installation: Installation
  retired_secrets: RetiredSecrets
  secret_holders: SecretHolders
}

interface Installation {
  secret_fingerprint: Buffer
  id_hash_key: Buffer
  hostname: string | null
}

interface RetiredSecrets {
  fingerprint: Buffer
  sealed: Buffer
  retired_at: Generated<Date>
  replaced_at: Date | null
}

interface SecretHolders {
  process: string
  knows: Buffer[]
  uses: Buffer
  seen_at: Generated<Date>
}
