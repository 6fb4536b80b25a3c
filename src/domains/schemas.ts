import { Id, Nullable, OneOf, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { type Domain, type ListedRecord, listedRecords, outstandingOf } from './domain.ts'
import { unicodeName } from './name.ts'

const Problem = OneOf(['missing', 'mismatch', 'conflict', 'lookup_failed'], {
  description:
    '`missing`: there is no such record. `mismatch`: there is one, and it says something else. `conflict`: there are ' +
    'several where one may be, or another organization has proven the domain. `lookup_failed`: the DNS did not ' +
    'answer, which never makes `satisfied` false.',
})

const DnsRecord = Type.Object(
  {
    purpose: OneOf(['ownership', 'mx', 'spf', 'dmarc', 'dkim', 'mta_sts', 'tls_rpt']),
    type: OneOf(['TXT', 'MX', 'CNAME']),
    name: Type.String({
      description: 'The full name of the record.',
      examples: ['_mailroom-challenge.example.com'],
    }),
    value: Type.String({ examples: ['4bf2c8a01d6e4b8f93a7c25e0d1f6b73'] }),
    priority: Nullable(Type.Integer({ description: 'The preference of an MX record; null for others.' })),
    ttl: Type.Integer({ description: 'The time to live, in seconds.' }),
    satisfied: Type.Boolean({
      description: 'Whether the last check found it. With `last_checked_at` null it is not yet checked.',
    }),
    last_checked_at: Nullable(Timestamp),
    found: Type.Array(Type.String(), { description: 'What the last check found there, if it matters.' }),
    problem: Nullable(Problem),
    fix: Nullable(Type.String({ description: 'What to do about it.' })),
  },
  { title: 'DnsRecord' },
)

export const DomainOut = Type.Object(
  {
    id: Id,
    domain: Type.String({ description: 'The domain in ASCII form (IDNA).', examples: ['xn--bcher-kva.example'] }),
    domain_unicode: Type.String({ examples: ['bücher.example'] }),
    status: OneOf(['pending', 'verified', 'failed'], {
      description:
        '`verified`: ownership and receiving are proven; mailboxes can be made. `failed`: ownership was not proven ' +
        'in 14 days, or another organization has proven it; remove it and enrol again.',
    }),
    suspended: Type.Boolean({
      description: 'Suspended by the operator: mail is refused and no mailbox can be created. Mail can be read.',
    }),
    ownership_token: Nullable(
      Type.String({
        description: 'Null once ownership is proven or the challenge has failed.',
      }),
    ),
    ownership_verified_at: Nullable(Timestamp),
    receiving_verified_at: Nullable(Timestamp),
    outstanding: Type.Integer({ minimum: 0, description: 'How many records of `dns` are still missing.' }),
    dns: Type.Array(DnsRecord, {
      description: 'Publish them unchanged. The two DKIM records follow with the first check.',
    }),
    optional_dns: Type.Array(DnsRecord, {
      description:
        'Recommended, never counted as outstanding: MTA-STS, TLS-RPT, and for 7 days the signing keys that newer ' +
        'ones have replaced.',
    }),
    next_check_at: Nullable(Timestamp),
    last_checked_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Domain' },
)

/** A domain as the API and the command line show it. */
export function present(domain: Domain, hostname: string) {
  const { status, ownership, receiving } = domain.standing
  const records = listedRecords(domain, hostname)
  return {
    id: domain.id,
    domain: domain.domain,
    domain_unicode: unicodeName(domain.domain),
    status,
    suspended: domain.suspended,
    ownership_token: status !== 'failed' && ownership.verifiedAt === null ? domain.token : null,
    ownership_verified_at: time(ownership.verifiedAt),
    receiving_verified_at: time(receiving.verifiedAt),
    outstanding: outstandingOf(records).length,
    dns: records.filter(({ optional }) => !optional).map(presentRecord),
    optional_dns: records.filter(({ optional }) => optional).map(presentRecord),
    next_check_at: time(domain.nextCheckAt),
    last_checked_at: time(domain.lastCheckedAt),
    created_at: domain.createdAt.toISOString(),
  }
}

function presentRecord({ optional: _, finding, ...record }: ListedRecord) {
  return {
    ...record,
    satisfied: finding?.satisfied ?? false,
    last_checked_at: finding?.checked_at ?? null,
    found: [...(finding?.found ?? [])],
    problem: finding?.problem ?? null,
    fix: finding?.fix ?? null,
  }
}

function time(at: Date | null): string | null {
  return at?.toISOString() ?? null
}
