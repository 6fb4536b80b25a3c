import type { ColumnType, Generated } from 'kysely'

export interface DomainTables {
  domains: Domains
  dkim_keys: DkimKeys
}

/** A record that a domain should have, with the result of the last check. */
export interface CheckedRecord {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority: number | null
  readonly satisfied: boolean
  /** RFC 3339, as in JSON. */
  readonly checked_at: string
  readonly found: readonly string[]
  readonly problem: null | 'missing' | 'mismatch' | 'conflict' | 'lookup_failed'
  readonly fix: string | null
}

interface Domains {
  id: Generated<string>
  organization_id: string
  domain: string
  status: Generated<'pending' | 'verified' | 'failed'>
  ownership_token: Generated<string>
  challenged_at: Generated<Date>
  ownership_verified_at: Date | null
  ownership_missing_since: Date | null
  ownership_missing_times: Generated<number>
  receiving_verified_at: Date | null
  receiving_missing_since: Date | null
  receiving_missing_times: Generated<number>
  /** Suspended by itself, or with its organization. */
  suspended_at: Date | null
  suspended_apart_at: Date | null
  last_checked_at: Date | null
  next_check_at: Date | null
  leased_until: Date | null
  lease_epoch: Generated<number>
  findings: ColumnType<CheckedRecord[], string | undefined, string>
  created_at: Generated<Date>
}

interface DkimKeys {
  id: string
  organization_id: string
  domain_id: string
  selector: string
  algorithm: 'rsa' | 'ed25519'
  public_key: string
  private_key: Buffer
  created_at: Date
  seen_at: Date | null
  retires_at: Date | null
}
