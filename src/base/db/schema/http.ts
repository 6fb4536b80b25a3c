import type { Generated } from 'kysely'

export interface HttpTables {
  idempotency_keys: IdempotencyKeys
}

interface IdempotencyKeys {
  organization_id: string
  key: string
  answer: Buffer
  created_at: Generated<Date>
  claim: Generated<string | null>
  /** Null once the request is answered. */
  claimed_until: Generated<Date | null>
}
