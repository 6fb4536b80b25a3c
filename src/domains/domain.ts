import type { CheckedRecord } from '#/base/db/schema/domains.ts'
import type { Standing } from './checks/standing.ts'
import { type PublishedKey, type WantedRecord, wantedRecords } from './dns/records.ts'

/** A domain that an organization has enrolled. */
export interface Domain {
  readonly id: string
  readonly organizationId: string
  /** In ASCII form. */
  readonly domain: string
  readonly standing: Standing
  /** The same for as long as the enrolment lasts. */
  readonly token: string
  readonly suspended: boolean
  readonly findings: readonly CheckedRecord[]
  /** Oldest first. */
  readonly keys: readonly DomainKey[]
  readonly lastCheckedAt: Date | null
  readonly nextCheckAt: Date | null
  readonly createdAt: Date
}

export interface DomainKey extends PublishedKey {
  readonly madeAt: Date
  /** Null while it signs, or is to sign once it is seen; else until when its record should stay. */
  readonly retiresAt: Date | null
}

/** A record to publish, with the finding of the last check. */
export interface ListedRecord extends WantedRecord {
  readonly finding: CheckedRecord | undefined
}

/** Every record of a domain. A finding belongs to the record that was looked up: after a change of the host name or of a key,
 *  the new record has none. Records of retiring keys are optional. */
export function listedRecords({ domain, token, keys, findings }: Domain, hostname: string): ListedRecord[] {
  const [active, retiring] = [keys.filter((key) => !key.retiresAt), keys.filter((key) => key.retiresAt)]
  const wanted = wantedRecords({ domain, token, keys: active }, hostname)
  const useful =
    retiring.length === 0
      ? []
      : wantedRecords({ domain, token, keys: retiring }, hostname)
          .filter(({ purpose }) => purpose === 'dkim')
          .map((record) => ({ ...record, optional: true }))
  return [...wanted, ...useful].map((record) => ({
    ...record,
    finding: findings.find((finding) => isOf(finding, record)),
  }))
}

/** Records that have to be published and are not. */
export function outstandingOf(records: readonly ListedRecord[]): ListedRecord[] {
  return records.filter(({ optional, finding }) => !optional && !finding?.satisfied)
}

function isOf(finding: CheckedRecord, { type, name, value, priority }: WantedRecord): boolean {
  return finding.name === name && finding.type === type && finding.value === value && finding.priority === priority
}
