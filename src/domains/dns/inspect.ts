import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import type { Finding, Inspection } from './finding.ts'
import { inspectMx } from './inspect-mx.ts'
import { inspectPolicyHost } from './inspect-policy-host.ts'
import { inspectSpf } from './inspect-spf.ts'
import { inspectText } from './inspect-text.ts'
import { readDkim } from './read-dkim.ts'
import { dmarc, mtaSts, ownership, tlsRpt } from './read-text.ts'
import type { WantedRecord } from './records.ts'

export type { Finding } from './finding.ts'

/** Looks up a record, and says what is wrong with it and what to do. Never rejects because of the contents of the DNS. Takes
 *  one or two lookups if all is well, about a dozen if the record is missing, and for SPF as many as a receiver (RFC 7208,
 *  section 4.6.4). */
export async function inspect(resolver: Resolver, wanted: WantedRecord, domain: string): Promise<Finding> {
  try {
    return await byPurpose({ resolver, wanted, domain })
  } catch (error) {
    if (!(error instanceof LookupFailed)) throw error
    return lookupFailed(error.reason)
  }
}

function byPurpose(inspection: Inspection): Promise<Finding> {
  const { purpose, type, value } = inspection.wanted
  switch (purpose) {
    case 'ownership':
      return inspectText(inspection, ownership(value))
    case 'mx':
      return inspectMx(inspection)
    case 'spf':
      return inspectSpf(inspection)
    case 'dmarc':
      return inspectText(inspection, dmarc)
    case 'dkim':
      return inspectText(inspection, readDkim(value))
    case 'mta_sts':
      return type === 'TXT' ? inspectText(inspection, mtaSts) : inspectPolicyHost(inspection)
    case 'tls_rpt':
      return inspectText(inspection, tlsRpt)
  }
}

/** The record is unknown, so the result of the check before stays. */
export function lookupFailed(reason: keyof typeof reasons): Finding {
  return { satisfied: null, found: [], problem: 'lookup_failed', fix: reasons[reason] }
}

const reasons = {
  timeout:
    'The name servers did not answer in time. The record keeps its last result, and is looked up again at the next check.',
  servfail:
    'The name servers answered with a failure, or contradicted each other. The record keeps its last result, and is ' +
    'looked up again at the next check. If it fails again, check that the zone is served and its DNSSEC signatures are valid.',
  internal:
    'The lookup failed with an internal error. The record keeps its last result, and is looked up again at the next check.',
} as const
