import { LookupFailed } from '#/errors.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { Finding, Inspection } from './finding.ts'
import { inspectMx } from './inspect-mx.ts'
import { inspectPolicyHost } from './inspect-policy-host.ts'
import { inspectSpf } from './inspect-spf.ts'
import { inspectText } from './inspect-text.ts'
import { readDkim } from './read-dkim.ts'
import { dmarc, mtaSts, ownership, tlsRpt } from './read-text.ts'
import type { WantedRecord } from './records.ts'

export type { Finding } from './finding.ts'

/**
 * Looks a record up and says what is wrong with it, in words that its publisher can act on. Never rejects for what the
 * DNS says or fails to say. Asks a bounded number of questions: one or two where all is well, about a dozen where the
 * record is missing, and for SPF those that a receiver asks (RFC 7208 4.6.4).
 */
export async function inspect(resolver: Resolver, wanted: WantedRecord, domain: string): Promise<Finding> {
  try {
    return await byPurpose({ resolver, wanted, domain })
  } catch (error) {
    if (!(error instanceof LookupFailed)) throw error
    return { satisfied: null, found: [], problem: 'lookup_failed', fix: unknown[error.reason] }
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

const unknown = {
  timeout:
    'The name servers did not answer in time. Nothing follows from that; they are asked again at the next check.',
  servfail:
    'The name servers answered with a failure, or contradicted each other. Nothing follows from that; they are asked ' +
    'again at the next check. If it stays so, see whether the zone is served and its DNSSEC signatures are valid.',
} as const
